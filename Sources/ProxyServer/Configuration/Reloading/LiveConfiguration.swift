import LinuxSystem

/// The configuration that a running daemon goes by, which a reload replaces as a whole; any thread.
///
/// For parts that ask seldom: what the hot path needs is handed to it when it changes.
final class LiveConfiguration: Sendable {
    private let configuration: Lock<Configuration>

    init(_ configuration: Configuration) { self.configuration = Lock(configuration) }

    /// What counts now.
    var current: Configuration {
        get { configuration.withLock { $0 } }
        set { configuration.withLock { $0 = newValue } }
    }
}
