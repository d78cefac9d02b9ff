import OriginTransfer

extension Configuration {
    /// What is refused when more is requested than can be done.
    struct Overload: Sendable, Equatable {
        /// The longest wait, predicted or real, of a request for its turn, in milliseconds.
        var queueTime = 2_000
    }

    /// The order of downloads, with the longest wait.
    var scheduling: TransferScheduling {
        var scheduling = transfers
        scheduling.queueTime = overload.queueTime
        return scheduling
    }
}
