import Synchronization

/// How many placeholders may be computed at a time for nobody who waits; any thread.
///
/// Bounds what of the transform queue they take: many bare originals at once must not keep anybody from a picture.
final class PlaceholderAllowance: Sendable {
    /// Jobs at a time; who is over it is left for its next answer that is not from memory.
    static let maximum = 32

    private let count = Atomic(0)

    /// Takes a place, which `leave` gives back; false where there is none.
    func enter() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= Self.maximum { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}
