/// A failure as the cache shares, remembers and stores it; the cache's user has a type of its own.
package protocol CacheFailure: Error, Hashable, Sendable {
    /// What the failure means for the cache and for the next try.
    var traits: FailureTraits { get }
    /// The failure as it is stored: its kind, and what that holds; `nil` for failures of one moment.
    var text: (word: String, payload: String)? { get }
    /// Reads what `text` gave; `nil` for anything else.
    init?(word: String, payload: String)

    /// A bounded queue is full; the text says which.
    static func overloaded(_ reason: String) -> Self
    /// An earlier failure, which is not tried again for so many seconds.
    static func remembered(_ failure: Self, secondsLeft: Int64) -> Self
}
