/// How many transfers run at a time, and in which order the others wait.
package struct TransferScheduling: Hashable, Sendable {
    /// Maximum number of concurrent transfers over all sources.
    package var active: Int
    /// Maximum number of concurrent connections to one scheme, host and port over all sources.
    package var perHost: Int
    /// Maximum number of concurrent transfers whose URLs clients choose, over all hosts.
    package var foreign: Int
    /// Maximum number of waiting transfers.
    package var waiting: Int
    /// The number of waiting transfers above which the newest start first (SDWebImage: `LIFOExecutionOrder`).
    package var newestFirstAbove: Int
    /// Milliseconds of waiting that raise a transfer by one priority.
    package var ageing: Int
    /// Milliseconds for which a transfer may wait for a connection: one that is expected to wait longer is refused at once.
    ///
    /// Background work is not limited by it, nor are redirects, repetitions and rests of what has been started.
    package var queueTime = 2_000

    /// Creates a schedule; counts are raised to 1.
    package init(
        active: Int = 256,
        perHost: Int = 128,
        foreign: Int = 128,
        waiting: Int = 4096,
        newestFirstAbove: Int = 256,
        ageing: Int = 2_000
    ) {
        self.active = max(1, active)
        self.perHost = max(1, perHost)
        self.foreign = max(1, foreign)
        self.waiting = max(1, waiting)
        self.newestFirstAbove = max(0, newestFirstAbove)
        self.ageing = max(1, ageing)
    }
}
