import HTTPSemantics
import ImagePipeline
import LinuxSystem

extension CacheStatus {
    /// Whether the origin was asked for this request, and not for another one that it joined.
    var isOfOwnDownload: Bool { if case .forwarded(_, _, collapsed: false) = self { true } else { false } }
}

/// What is recorded about one traced request until it ends; any thread.
final class RequestTrace: Sendable {
    /// The download of an original.
    struct Download: Sendable {
        var start: Int64
        var end: Int64
        var hasFailed: Bool
    }

    /// What is known when the request ends.
    struct Facts: Sendable {
        /// The host that the client has named; empty for none.
        var host = ""
        /// The value of `tracestate` from a trusted proxy; empty for none.
        var state = ""
        /// The source of the image; `nil` if the request was refused before it was known.
        var origin: OriginRequest?
        /// A download without stages: of a raw source, or one that failed.
        var download: Download?
    }

    /// The id of the span of the download, which the origin receives.
    let download = UInt64.random(in: 1 ... .max)
    /// The beginning of the request, in monotonic nanoseconds.
    let start: Int64
    private let state: Lock<Facts>

    /// Creates the record of a request that begins.
    ///
    /// - Parameters:
    ///   - start: the beginning of the request, in monotonic nanoseconds.
    ///   - host: the host that the client has named.
    ///   - state: the value of `tracestate`; empty for none.
    init(start: Int64, host: String, state: String) {
        self.start = start
        self.state = Lock(Facts(host: host, state: state))
    }

    /// What has been recorded.
    var facts: Facts { state.withLock { $0 } }

    /// Records where the image comes from.
    func resolved(_ origin: OriginRequest) { state.withLock { $0.origin = origin } }

    /// Records a download of which only its beginning and its end are known, in monotonic nanoseconds.
    func downloaded(from start: Int64, to end: Int64, hasFailed: Bool) {
        state.withLock { $0.download = Download(start: start, end: end, hasFailed: hasFailed) }
    }
}
