import Glibc
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging

/// Builds all parts from the configuration and runs them until the process is asked to stop.
enum Daemon {
    /// Serves until SIGTERM or SIGINT, then drains, and returns when everything has stopped.
    ///
    /// Call it on the main thread, which waits for signals; SIGHUP reloads the configuration, and SIGUSR2 starts a successor. The
    /// service manager is notified of each of these.
    /// - Throws: the reason why the daemon cannot start; a `ConfigurationProblem` if a key is the cause.
    static func run(_ loaded: LoadedConfiguration, loader: ConfigurationLoader) throws {
        // Blocked before any thread exists, so that an early SIGTERM leaves no workers behind.
        let signals = BlockedSignals(SignalLoop.signals)
        let configuration = loaded.configuration
        let time = SystemTime()
        let level = LogLevelCell(configuration.log.level)
        let sink = LineSink(descriptor: STDERR_FILENO)
        let budget = LineBudget(rate: configuration.log.rate)
        let logger = Logger.events(configuration.log.format, level: level, sink: sink, budget: budget, time: time)
        let service = ServiceEnvironment(loader.environment, process: getpid(), parent: getppid())
        // Its sockets are open here, and nothing would accept from them.
        if service.predecessor == nil, loader.environment[ServiceEnvironment.predecessorName] != nil {
            throw ConfigurationProblem(place: nil, key: "", message: "the predecessor ended while this process started")
        }
        do throws(Errno) { try DescriptorLimit.raise() } catch {
            logger.warning("cannot raise the limit of descriptors", metadata: ["error": "\(error)"])
        }
        // Writing to a closed peer must return an error instead of killing the daemon.
        signal(SIGPIPE, SIG_IGN)
        if configuration.workers.sandbox == .best, ProcessInspection.isAllowed {
            logger.warning(
                "other processes of this user can read the daemon's memory: prctl(PR_SET_DUMPABLE) is refused"
            )
        }
        let parts: DaemonParts
        do {
            parts = try DaemonParts(
                loaded,
                sockets: ActivatedSockets(service.sockets),
                time: time,
                logger: logger,
                logLevel: level,
                isSuccessor: service.predecessor != nil
            )
        } catch {
            throw ConfigurationProblem(error, loaded) ?? error
        }
        let link = ServiceLink(service, parts: parts, time: time)
        if service.predecessor != nil { try parts.waitForWorkers() }
        let unused = parts.sockets.unused(configuration)
        link.close(unused)
        try parts.start(isSuccessor: service.predecessor != nil)
        try link.started()
        if let predecessor = service.predecessor { parts.succeed(predecessor) { link.tookOver(without: unused) } }
        switch SignalLoop(loader: loader, parts: parts, link: link).run(signals) {
        case .stopped(let signal):
            logger.info("draining", metadata: ["signal": "\(signal == SIGINT ? "SIGINT" : "SIGTERM")"])
            link.stopping()
            parts.stop(leavesListeners: link.keepsSockets)
        case .succeeded(let successor):
            logger.info("draining", metadata: ["successor": "\(successor.process)"])
            link.succeeded(by: successor.process)
            parts.stop(leavesListeners: true)
        }
        logger.info("stopped")
    }
}
