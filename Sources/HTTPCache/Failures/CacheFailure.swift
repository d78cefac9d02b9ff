package import HTTPSemantics

/// An error that the cache can share, remember and store; the cache's user supplies the concrete type.
package protocol CacheFailure: Error, Hashable, Sendable {
    /// How the cache treats the failure, and when to retry.
    var traits: FailureTraits { get }
    /// The stored form of the failure: its kind and associated values; `nil` for transient failures.
    var text: (word: String, payload: String)? { get }
    /// Creates a failure from its stored form, `text`; returns `nil` for anything else.
    init?(word: String, payload: String)

    /// Whether the content exceeded the limit in bytes.
    var isOverLimit: Bool { get }
    /// Returns the failure with the cache status of a request to the origin; unchanged if the failure preceded the request.
    func after(asking reason: CacheStatus.Reason) -> Self

    /// A bounded queue is full; `reason` says which.
    static func overloaded(_ reason: String) -> Self
    /// An earlier failure, which is not retried for `secondsLeft` seconds.
    static func remembered(_ failure: Self, secondsLeft: Int64) -> Self
    /// The origin responded with an unsuccessful status.
    static func originStatus(_ status: Int) -> Self
    /// No stored response can be used, and the request forbids asking the origin (`only-if-cached`).
    static var notCached: Self { get }
    /// What is stored needs validation, and this node may not serve it while it does not know what others have purged.
    static var outOfTouch: Self { get }
}

extension CacheFailure {
    /// The queue of blocking work is full (`WorkLane`).
    package static var diskQueueFull: Self { .overloaded("too many requests are waiting for the disk") }
    /// The time limit of a request ended in the queue of blocking work.
    package static var diskWaitTooLong: Self { .overloaded("the request waited too long for the disk") }
    /// Whether a stale response may be served in its place (RFC 5861 §4).
    package var allowsStale: Bool { traits.allowsStale }
    /// Whether the origin states that the resource no longer exists.
    package var saysGone: Bool { traits.saysGone }
    /// Whether the origin denies the client access to the resource.
    package var isDenial: Bool { traits.isDenial }
}
