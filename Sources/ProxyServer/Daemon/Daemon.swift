import Glibc
import LinuxSystem
import Logging
import UnixSignals

/// Builds all parts from the configuration and runs them until the process is told to end.
enum Daemon {
    /// Serves until SIGTERM or SIGINT, then drains; returns when everything has ended.
    ///
    /// - Throws: what keeps the daemon from starting, in words for the operator.
    static func run(_ configuration: Configuration) async throws {
        let time = SystemTime()
        let logger = Logger.events(configuration.log, sink: LineSink(descriptor: STDERR_FILENO), time: time)
        // A client, a worker or a log reader that has gone is an error of the call, not the daemon's end.
        signal(SIGPIPE, SIG_IGN)
        // Trapped before anything starts: an early SIGTERM must not leave workers behind.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let parts = try DaemonParts(configuration, time: time, logger: logger)
        try parts.start()
        for await signal in signals {
            logger.info("draining", metadata: ["signal": "\(signal)"])
            break
        }
        await parts.stop()
        logger.info("stopped")
    }
}
