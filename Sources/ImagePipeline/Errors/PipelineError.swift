import HTTPCache
package import HTTPSemantics

/// Why a request has no picture.
///
/// Knows nothing of HTTP towards clients: ProxyServer maps each case to a status, once.
///
/// Shared by all waiters of a flight; texts never name an internal address, path or key.
package enum PipelineError: CacheFailure {
    /// The origin answered with a status that is no success (SDWebImage: InvalidDownloadStatusCode).
    case originStatus(Int)
    /// No such file below a `file:` source, or none that is an image.
    case originNotFound
    /// DNS, connect, TLS or transport failure.
    case originUnreachable(String)
    /// A connect, first-byte or total timeout of a transfer.
    case originTimeout(String)
    /// The origin broke HTTP: body shorter than its length, too many redirects, a redirect without a location.
    case originProtocol(String)
    /// The address policy refused the upstream, or a name that a stranger chose does not resolve; the text is the rule's name.
    case addressRefused(String)
    /// The body is over `limits.source-bytes`.
    case sourceTooLarge(limit: Int)
    /// Not an image that can be decoded here.
    case notAnImage(String)
    /// An image, but damaged; with the parameter that names it, where that is known.
    case broken(String, parameter: String? = nil)
    /// An image, but over a limit, or a step that leaves nothing; with the parameter that asks for it, where that is known.
    case refused(String, parameter: String? = nil)
    /// The image crashed its decoder's process.
    case crashedDecoder
    /// The transform's deadline passed.
    case transformTimeout
    /// A bounded queue or the waiters' cap is full.
    case overloaded(String)
    /// A worker was lost twice through no fault of the picture.
    case workerLost
    /// No worker can be started: no picture can be made at all for now.
    case noWorker
    /// The request would have what is stored, and nothing is (`only-if-cached`).
    case notCached
    /// A failure of before, which is not tried again for so many seconds.
    indirect case remembered(PipelineError, secondsLeft: Int64)
    /// Another original that the plan names cannot be had, or used; the text is the parameter that names it.
    indirect case ingredient(String, PipelineError)
    /// A failure, and what the cache had done for the request until then (RFC 9211).
    indirect case after(CacheStatus, PipelineError)
    /// The last waiter left, or the daemon is stopping.
    case cancelled
}
