import Foundation
import Glibc
import LinuxSystem
import Logging

/// Builds all parts from the configuration and runs them until the process is told to end.
enum Daemon {
    /// Serves until SIGTERM or SIGINT, then drains; returns when everything has ended.
    ///
    /// Call it on the main thread, which then waits for signals: SIGHUP reads the configuration again. A service manager is told
    /// of each of these.
    /// - Throws: what keeps the daemon from starting, in words for the operator: a `ConfigurationProblem` where a key is about it.
    static func run(_ loaded: LoadedConfiguration, loader: ConfigurationLoader) throws {
        // Before any thread exists: an early SIGTERM must not leave workers behind.
        let signals = BlockedSignals([SIGTERM, SIGINT, SIGHUP])
        let configuration = loaded.configuration
        let time = SystemTime()
        let level = LogLevelCell(configuration.log.level)
        let sink = LineSink(descriptor: STDERR_FILENO)
        let budget = LineBudget(rate: configuration.log.rate)
        let logger = Logger.events(configuration.log.format, level: level, sink: sink, budget: budget, time: time)
        let service = ServiceEnvironment(ProcessInfo.processInfo.environment, process: getpid())
        ServiceEnvironment.clear()
        // A client, a worker or a log reader that has gone is an error of the call, not the daemon's end.
        signal(SIGPIPE, SIG_IGN)
        let parts: DaemonParts
        do {
            parts = try DaemonParts(
                loaded,
                sockets: ActivatedSockets(service.sockets),
                time: time,
                logger: logger,
                logLevel: level
            )
        } catch {
            throw ConfigurationProblem(error, loaded) ?? error
        }
        let link = ServiceLink(service, parts: parts, time: time)
        let reloader = Reloader(loader: loader, parts: parts)
        try parts.start()
        try link.started()
        var signal = signals.next()
        while signal == SIGHUP {
            link.reload { reloader.reload() }
            signal = signals.next()
        }
        logger.info("draining", metadata: ["signal": "\(signal == SIGINT ? "SIGINT" : "SIGTERM")"])
        link.stopping()
        parts.stop()
        logger.info("stopped")
    }
}
