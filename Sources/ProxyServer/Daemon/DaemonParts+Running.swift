import HTTPKit
import ImagePipeline
import LinuxSystem
import Logging

extension DaemonParts {
    /// Opens the listeners: from here on requests are answered.
    ///
    /// - Throws: what is wrong with an address, naming its key.
    func start() throws(ConfigurationProblem) {
        if let adminServer {
            try start(adminServer, key: "admin.listen")
            announce(adminServer, as: "admin")
        }
        try start(publicServer, key: "listen")
        // Without a thread for it the cache keeps its quota, and everything else works.
        do throws(Errno) { try pressure.start() } catch {
            logger.warning("memory pressure is not watched", metadata: ["error": "\(error)"])
        }
        announce(publicServer, as: "public")
        warnOfFolders(live.current)
        if readiness.setOpen(true) { logger.info("ready") }
    }

    /// Says which `file:` sources cannot be served as things are.
    ///
    /// A warning and no refusal to start: the folder may be on a network file system that is mounted later, and all other
    /// sources can be served. On a thread of its own, as looking at a folder whose server is away may take for ever.
    func warnOfFolders(_ configuration: Configuration) {
        let sources = configuration.sources.filter(\.rule.isFolder)
        guard !sources.isEmpty else { return }
        let check = SourceFolderCheck(sources: sources, cachePath: configuration.cache.path)
        try? SystemThread.start(name: "folders") { [logger] in
            for finding in check.findings(MachineProbe()) where finding.severity == .failure {
                logger.warning(
                    "a source cannot be served for now",
                    metadata: [
                        "source": "\(finding.subject)", "problem": "\(finding.message)", "fix": "\(finding.fix ?? "")",
                    ]
                )
            }
        }
    }

    private func start(_ server: HTTPServer, key: String) throws(ConfigurationProblem) {
        do throws(ServerStartError) {
            try server.start()
        } catch {
            throw ConfigurationProblem(error, live.loaded, listenKey: key)
                ?? ConfigurationProblem(place: nil, key: key, message: "\(error)")
        }
    }

    /// Logs what becomes of the workers.
    static func tell(_ condition: WorkerPool.Condition, _ readiness: Readiness, _ logger: Logger) {
        let before = readiness.workers
        let isReady = readiness.setWorkers(condition)
        switch (condition, before) {
        case (.failing(let reason), _):
            logger.error(
                "no worker starts: no picture can be made; a message follows when one does",
                metadata: ["reason": "\(reason)"]
            )
        case (.ready, .failing): logger.notice("workers start again")
        default: break
        }
        if isReady { logger.info("ready") }
    }

    /// Calls back once every event loop of both listeners has turned.
    func pingLoops(_ completion: @escaping @Sendable () -> Void) {
        publicServer.pingLoops { [adminServer] in
            if let adminServer { adminServer.pingLoops(completion) } else { completion() }
        }
    }

    private func announce(_ server: HTTPServer, as name: String) {
        for address in server.boundAddresses {
            let address = ActivatedSockets.bound(address) ?? address
            logger.info("listening", metadata: ["listener": "\(name)", "address": "\(address)"])
        }
    }

    /// Drains: no new connections, requests under way are finished within the grace, then every part ends.
    ///
    /// The admin listener goes last, so that whoever watches sees the draining.
    func stop() {
        readiness.setOpen(false)
        stop(publicServer, grace: live.current.shutdown.grace)
        if let adminServer { stop(adminServer, grace: 1000) }
        pressure.stop()
        transfers.stop()
        files.stop()
        workers.stop()
        readLane.stop()
        store.close()
    }

    private func stop(_ server: HTTPServer, grace: Int) {
        let isStopped = Monitor(false)
        server.stop(graceMilliseconds: grace) { isStopped.update { $0 = true } }
        isStopped.wait { $0 ? () : nil }
    }
}
