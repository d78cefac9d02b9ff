package import HTTPSemantics

/// A failure as the cache shares, remembers and stores it; the cache's user has a type of its own.
package protocol CacheFailure: Error, Hashable, Sendable {
    /// What the failure means for the cache and for the next try.
    var traits: FailureTraits { get }
    /// The failure as it is stored: its kind, and what that holds; `nil` for failures of one moment.
    var text: (word: String, payload: String)? { get }
    /// Reads what `text` gave; `nil` for anything else.
    init?(word: String, payload: String)

    /// Whether the content was over the limit of bytes.
    var isOverLimit: Bool { get }
    /// The failure together with what the cache had done, once the origin was asked; without that where it was not.
    func after(asking reason: CacheStatus.Reason) -> Self

    /// A bounded queue is full; the text says which.
    static func overloaded(_ reason: String) -> Self
    /// An earlier failure, which is not tried again for so many seconds.
    static func remembered(_ failure: Self, secondsLeft: Int64) -> Self
    /// The origin answered with a status that is no success.
    static func originStatus(_ status: Int) -> Self
    /// Nothing is stored, and the request forbids asking (`only-if-cached`).
    static var notCached: Self { get }
}

extension CacheFailure {
    /// Whether a stale response may be served in its place (RFC 5861 §4).
    package var allowsStale: Bool { traits.allowsStale }
    /// Whether the origin says that there is nothing any more.
    package var saysGone: Bool { traits.saysGone }
    /// Whether the origin denies the client what is there.
    package var isDenial: Bool { traits.isDenial }
}
