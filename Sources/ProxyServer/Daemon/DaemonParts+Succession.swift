import Cluster
import CLinux
import Glibc
import HTTPKit
import ImagePipeline
import LinuxSystem
import Logging

extension DaemonParts {
    /// The listening sockets with the names under which they are passed on.
    var namedSockets: [(descriptor: SharedDescriptor, name: String)] {
        let servers = [(publicServer, SocketName.Listener.public)] + (adminServer.map { [($0, .admin)] } ?? [])
        return servers.flatMap { server, listener in
            server.listeningSockets.map { ($0.descriptor, sockets.name(of: $0, listener)) }
        }
    }

    /// Waits until transforms can be made, so that no request of a predecessor's clients waits for the first worker.
    ///
    /// - Throws: the reason why no worker can be started. A predecessor serves on then.
    func waitForWorkers() throws(ConfigurationProblem) {
        guard case .failing(let reason) = readiness.waitForWorkers() else { return }
        throw ConfigurationProblem(place: nil, key: "", message: "no worker can be started: \(reason)")
    }

    /// Tells the predecessor that this process serves, and starts what only one process can do once the predecessor has ended.
    ///
    /// - Parameter ended: called once the predecessor has ended, on a thread of its own.
    func succeed(_ predecessor: pid_t, ended: @escaping @Sendable () -> Void) {
        let descriptor = edge_pidfd_open(predecessor)
        kill(predecessor, Successor.readiness)
        let ending = descriptor >= 0 ? SharedDescriptor(owning: descriptor) : nil
        do throws(Errno) {
            try SystemThread.start(name: "succession") { [self] in
                if let ending {
                    var entry = pollfd(fd: ending.number, events: Int16(POLLIN), revents: 0)
                    while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
                }
                ended()
                // Otherwise this process has a successor itself by now, which continues the jobs.
                if readiness.isOpen { startWarmer() }
                logger.info("the predecessor has ended", metadata: ["process": "\(predecessor)"])
            }
        } catch {
            logger.warning(
                "warm jobs do not run",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Starts to follow the log of purges, from where the cache folder has left it.
    ///
    /// A successor follows it as soon as its predecessor has released the folder, while that one still answers its last requests.
    func joinCluster() {
        do throws(Errno) { try cluster?.start() } catch {
            logger.error("the log of purges cannot be followed", metadata: ["error": "\(error)"])
        }
        do throws(Errno) { try leases?.start() } catch {
            logger.warning("downloads take no leases", metadata: ["error": "\(error)"])
        }
    }

    /// Continues the warm jobs of the cache folder.
    func startWarmer() {
        do throws(Errno) { try warmer.start() } catch {
            logger.warning("warm jobs cannot run", metadata: ["error": "\(error)"])
        }
    }
}
