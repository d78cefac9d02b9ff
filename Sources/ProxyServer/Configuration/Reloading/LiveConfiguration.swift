import LinuxSystem

/// The configuration that a running daemon goes by, which a reload replaces as a whole; any thread.
///
/// For parts that ask seldom: what the hot path needs is handed to it when it changes.
final class LiveConfiguration: Sendable {
    private let state: Lock<LoadedConfiguration>

    init(_ loaded: LoadedConfiguration) { state = Lock(loaded) }

    /// What counts now, and who said it.
    var loaded: LoadedConfiguration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// What counts now.
    var current: Configuration { state.withLock { $0.configuration } }
}
