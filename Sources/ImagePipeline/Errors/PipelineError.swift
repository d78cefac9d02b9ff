import HTTPCache
package import HTTPSemantics

/// Why a request failed.
///
/// Shared by all waiters of a flight. ProxyServer maps each case to a status in one place. The texts contain no internal address,
/// path or key.
package enum PipelineError: CacheFailure {
    /// The origin's status is not a success (SDWebImage: InvalidDownloadStatusCode).
    case originStatus(Int)
    /// A `file:` source has no such file, or the file is not an image.
    case originNotFound
    /// A DNS, connect, TLS or transport failure.
    case originUnreachable(String)
    /// A transfer timed out; the text names the phase.
    case originTimeout(String)
    /// The origin violated HTTP: a body shorter than its length, too many redirects, a redirect without a location.
    case originProtocol(String)
    /// The address policy refused the origin, or a name from a client or redirect does not resolve; the text is the rule's name.
    case addressRefused(String)
    /// The body exceeds `limits.source-bytes`.
    case sourceTooLarge(limit: Int)
    /// The body cannot be decrypted or decoded as the source is configured (`decrypt`); the text is the reason.
    case undecryptable(String)
    /// Not an image in a supported format.
    case notAnImage(String)
    /// A damaged image, with the parameter that names it, if known.
    case broken(String, parameter: String? = nil)
    /// An image over a limit, or a step with an empty result, with the parameter that requests it, if known.
    case refused(String, parameter: String? = nil)
    /// The image crashed its decoder's process.
    case crashedDecoder
    /// The transform timed out.
    case transformTimeout
    /// A queue is full, or a limit is reached.
    case overloaded(String)
    /// The origin has failed too often; its circuit breaker lets no request through for a number of seconds.
    case circuitOpen(secondsLeft: Int64)
    /// The operator has suspended the source.
    case sourceSuspended
    /// The source is offline: only stored responses are served.
    case sourceOffline
    /// A worker was lost twice for a reason outside the image.
    case workerLost
    /// No worker can be started.
    case noWorker
    /// Nothing is stored for a request with `only-if-cached`.
    case notCached
    /// What is stored needs validation, and may not be served while this node does not know what others have purged.
    case outOfTouch
    /// A remembered failure, which is not retried for a number of seconds.
    indirect case remembered(PipelineError, secondsLeft: Int64)
    /// An auxiliary image is unavailable or unusable; the text is the parameter that names it.
    indirect case auxiliary(String, PipelineError)
    /// A failure with the cache status of the request (RFC 9211).
    indirect case after(CacheStatus, PipelineError)
    /// The last waiter left, or the daemon is stopping.
    case cancelled
}

extension PipelineError {
    /// The time limit of a request ended in the queue of transforms.
    static var workerWaitTooLong: PipelineError { .overloaded("the request waited too long for a worker") }
    /// The loader delivered a response without the content that it announced.
    static var notDelivered: PipelineError { .originProtocol("the original was not delivered") }
}
