import LinuxSystem

/// The names of the sources whose originals are not loaded (SDWebImage: `SDWebImageDownloader.suspended`); any thread.
package final class SuspendedSources: Sendable {
    private let state = Lock(Set<String>())

    /// Creates an empty set.
    package init() {}

    /// The suspended sources, sorted.
    package var names: [String] { state.withLock { $0.sorted() } }

    /// Whether a source is suspended.
    package func contains(_ source: String) -> Bool { state.withLock { $0.contains(source) } }

    /// Suspends or resumes a source; returns whether that changes anything.
    @discardableResult
    package func set(_ source: String, isSuspended: Bool) -> Bool {
        state.withLock { isSuspended ? $0.insert(source).inserted : $0.remove(source) != nil }
    }

    /// Forgets sources that are no longer configured.
    package func keep(only sources: Set<String>) {
        state.withLock { $0.formIntersection(sources) }
    }
}
