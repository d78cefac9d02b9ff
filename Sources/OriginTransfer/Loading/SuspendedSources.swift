import LinuxSystem

/// The sources whose originals are not loaded, by the operator's order (SDWebImage: `SDWebImageDownloader.suspended`); any thread.
package final class SuspendedSources: Sendable {
    /// Why a source's originals are not loaded.
    package enum Mode: Hashable, Sendable {
        /// For a while; requests that need the origin should be repeated.
        case suspended
        /// Until further notice: only stored responses are served (SDWebImage: `FromCacheOnly`).
        case offline
    }

    private let state = Lock([String: Mode]())

    /// Creates an empty set.
    package init() {}

    /// The sources in a mode, sorted.
    package func names(_ mode: Mode) -> [String] {
        state.withLock { state in state.filter { $0.value == mode }.keys.sorted() }
    }

    /// The mode of a source; `nil` if its originals are loaded.
    package func mode(of source: String) -> Mode? { state.withLock { $0[source] } }

    /// Suspends a source, takes it offline, or with `nil` resumes it; returns whether that changes anything.
    @discardableResult
    package func set(_ source: String, to mode: Mode?) -> Bool {
        state.withLock { state in
            defer { state[source] = mode }
            return state[source] != mode
        }
    }

    /// Forgets sources that are no longer configured.
    package func keep(only sources: Set<String>) {
        state.withLock { $0 = $0.filter { sources.contains($0.key) } }
    }
}
