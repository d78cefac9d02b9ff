import Glibc
import LinuxSystem
import Logging

/// What the daemon does at its signals until it ends; on the main thread.
struct SignalLoop {
    /// Why the daemon ends.
    enum End {
        /// A signal has asked for it.
        case stopped(by: CInt)
        /// A successor serves.
        case succeeded(by: Successor)
    }

    /// The signals; to be blocked before any thread exists.
    static let signals = [SIGTERM, SIGINT, SIGHUP, SIGCHLD, Successor.request, Successor.readiness]

    let loader: ConfigurationLoader
    let parts: DaemonParts
    let link: ServiceLink

    private var logger: Logger { parts.logger }

    /// Waits for signals; blocks until the daemon is to end.
    func run(_ signals: BlockedSignals) -> End {
        let reloader = Reloader(loader: loader, parts: parts)
        var successor: Successor?
        while true {
            let (signal, sender) = signals.nextWithSender()
            switch signal {
            case SIGHUP: link.reload { reloader.reload() }
            case Successor.request:
                if let successor {
                    let process: Logger.Metadata = ["process": "\(successor.process)"]
                    logger.notice("a successor is already starting", metadata: process)
                } else {
                    successor = start()
                }
            case Successor.readiness, SIGCHLD:
                // Workers' ends arrive here, too, and a signal of another process means nothing.
                guard let started = successor else { continue }
                if started.hasEnded {
                    logger.error("the successor has ended before it served; this process serves on")
                    successor = nil
                } else if signal == Successor.readiness, sender == started.process {
                    return .succeeded(by: started)
                }
            default:
                successor?.stop()
                return .stopped(by: signal)
            }
        }
    }

    private func start() -> Successor? {
        // Every other process of a container ends with the first one.
        guard getpid() != 1 else {
            logger.error("process 1 of a container cannot have a successor; start another container")
            return nil
        }
        do throws(Errno) {
            let successor = try Successor(loader.environment, sockets: parts.namedSockets)
            logger.notice("started a successor", metadata: ["process": "\(successor.process)"])
            return successor
        } catch {
            logger.error("cannot start a successor; this process serves on", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
