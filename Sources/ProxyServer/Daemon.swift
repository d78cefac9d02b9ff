/// Builds all parts from the configuration and runs them until the process is told to end.
enum Daemon {
    /// Serves until SIGTERM or SIGINT.
    static func run(_ configuration: Configuration) async throws {
        _ = configuration
    }
}
