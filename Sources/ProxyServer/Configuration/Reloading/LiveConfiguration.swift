import LinuxSystem

/// The current configuration of a running daemon, which a reload replaces atomically; any thread.
///
/// For parts that rarely read it. The hot path is given its settings when they change.
final class LiveConfiguration: Sendable {
    private let state: Lock<LoadedConfiguration>

    init(_ loaded: LoadedConfiguration) { state = Lock(loaded) }

    /// The current configuration with the places of its values.
    var loaded: LoadedConfiguration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The current configuration.
    var current: Configuration { state.withLock { $0.configuration } }
}
