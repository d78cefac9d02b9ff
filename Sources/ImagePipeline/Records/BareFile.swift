import Synchronization

/// The bare content file of an entity: it contains the body alone, so that a proxy in front can send it whole.
///
/// Whether it still exists is looked up when a use of the entity is noted, at most once a minute, so the proxy must be ready for its
/// absence. Any thread.
package final class BareFile: Sendable {
    /// The path relative to the cache folder.
    package let path: String
    private let exists = Atomic<Bool>(true)

    init(path: String) { self.path = path }

    /// Whether it existed when it was last looked up.
    package var isThere: Bool { exists.load(ordering: .relaxed) }

    /// Notes the result of a look-up.
    func note(exists: Bool) { self.exists.store(exists, ordering: .relaxed) }
}
