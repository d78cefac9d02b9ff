import Cluster
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem
import Logging
import OriginTransfer

extension DaemonParts {
    /// Opens the listeners and starts serving.
    ///
    /// - Parameter isSuccessor: whether another process still has the warm jobs.
    /// - Throws: the problem of an address, with its key.
    func start(isSuccessor: Bool = false) throws(ConfigurationProblem) {
        if !isSuccessor { startWarmer() }
        joinCluster()
        if let adminServer {
            try start(adminServer, key: "admin.listen")
            announce(adminServer, as: "admin")
        }
        try start(publicServer, key: "listen")
        // Without the monitor thread the cache keeps its quota; everything else works.
        do throws(Errno) { try pressure.start() } catch {
            logger.warning("cannot monitor memory pressure", metadata: ["error": "\(error)"])
        }
        announce(publicServer, as: "public")
        warnOfFolders(live.current)
        warnOfRoutes(live.current)
        if readiness.setOpen(true) { logger.info("ready") }
    }

    /// Logs which sources are reached without verification, or cannot be for want of a file.
    func warnOfRoutes(_ configuration: Configuration) {
        for finding in SourceRouteCheck(sources: configuration.allSources).findings(MachineProbe()) {
            logger.warning(
                "source is reached unsafely or not at all",
                metadata: [
                    "source": "\(finding.subject)", "problem": "\(finding.message)", "fix": "\(finding.fix ?? "")",
                ]
            )
        }
    }

    /// Logs which `file:` sources cannot be served at the moment.
    ///
    /// Only a warning: the folder may be on a network file system that is mounted later, and other sources work. It runs on its own
    /// thread, because accessing a folder whose server is down can block indefinitely.
    func warnOfFolders(_ configuration: Configuration) {
        let sources = configuration.allSources.filter(\.rule.isFolder)
        guard !sources.isEmpty else { return }
        let check = SourceFolderCheck(sources: sources, cachePath: configuration.cache.path)
        try? SystemThread.start(name: "folders") { [logger] in
            for finding in check.findings(MachineProbe()) where finding.severity == .failure {
                logger.warning(
                    "source is unavailable",
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

    /// Logs that a host is left alone, or asked again.
    static func tell(_ source: String, _ origin: String, isOpen: Bool, _ logger: Logger) {
        let metadata: Logger.Metadata = ["source": "\(source)", "origin": "\(origin)"]
        if isOpen {
            logger.warning("the origin keeps failing and is left alone for a while", metadata: metadata)
        } else {
            logger.notice("the origin has recovered", metadata: metadata)
        }
    }

    /// Logs changes of the workers' condition.
    private static func tell(_ condition: WorkerPool.Condition, _ readiness: Readiness, _ logger: Logger) {
        let before = readiness.workers
        let isReady = readiness.setWorkers(condition)
        switch (condition, before) {
        case (.failing(let reason), _):
            logger.error(
                "no worker can be started; images cannot be transformed until one can",
                metadata: ["reason": "\(reason)"]
            )
        case (.ready, .failing): logger.notice("workers can be started again")
        default: break
        }
        if isReady { logger.info("ready") }
    }

    /// Logs changes of the disk cache's health, damaged files, and the loss of its index.
    static func watch(_ disk: inout DiskStore.Configuration, _ logger: Logger) {
        disk.healthChanged = diskReporter(logger)
        disk.fileDamaged = { path in
            logger.warning("a file of the disk cache is damaged and not used", metadata: ["file": "\(path)"])
        }
        disk.indexLost = {
            logger.warning(
                """
                the disk cache's index was missing or damaged and is rebuilt from the files; \
                each original is revalidated when it is requested next
                """
            )
        }
    }

    private static func diskReporter(_ logger: Logger) -> @Sendable (DiskHealth) -> Void {
        let last = Lock<DiskHealth?>(nil)
        return { health in
            let before = last.withLock { last in
                defer { last = health }
                return last
            }
            switch health {
            case .healthy where before == .waiting: logger.info("the disk cache is open")
            case .healthy: logger.notice("the disk cache has recovered")
            case .waiting: logger.info("the disk cache opens when the predecessor has released it")
            case .off: break
            case .degraded(let reason):
                logger.warning(
                    "the disk cache has failed; serving continues without storing to disk until it recovers",
                    metadata: ["reason": "\(reason)"]
                )
            }
        }
    }

    /// Logs changes of the pool's condition and confinement, and keeps `readiness` up to date.
    static func watch(_ pool: inout WorkerPool.Configuration, _ readiness: Readiness, _ logger: Logger) {
        let mode = pool.sandbox
        pool.conditionChanged = { tell($0, readiness, logger) }
        pool.postureChanged = { tell(SandboxReport(mode, $0), readiness, logger) }
        pool.trialFailed = { reason in
            logger.warning(
                "the trial of all coders in the workers' sandbox fails; pictures are made, and it is tried again",
                metadata: ["reason": "\(reason)"]
            )
        }
    }

    /// Logs the confinement that is in force in the workers.
    private static func tell(_ sandbox: SandboxReport, _ readiness: Readiness, _ logger: Logger) {
        readiness.setSandbox(sandbox)
        let metadata: Logger.Metadata = [
            "mode": "\(sandbox.mode.rawValue)", "inForce": "\(sandbox.inForce)", "missing": "\(sandbox.missing)",
        ]
        if sandbox.isWeak {
            logger.warning("workers are not confined", metadata: metadata)
        } else {
            logger.info("workers are confined", metadata: metadata)
        }
        for call in sandbox.calls {
            logger.warning(
                call.isAllowed
                    ? "a library needs a system call that the workers' filter does not list; workers may make it"
                    : "a library needs a system call that leads out of the workers' confinement; it fails there",
                metadata: ["call": "\(call.name)"]
            )
        }
    }

    /// Calls back when every event loop of both listeners has run.
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

    /// Drains: refuses new connections, lets requests in progress finish within the grace period, then stops every part.
    ///
    /// The admin listener is stopped last, so that draining can be observed.
    ///
    /// - Parameter leavesListeners: whether another process has the listening sockets. The cache folder is released at once then,
    ///   since that process may wait for it.
    func stop(leavesListeners: Bool = false) {
        // Another process answers for the service now, also whether it is ready; only open streams and requests remain here.
        if leavesListeners { adminServer?.stop(graceMilliseconds: 1000, leavesListeners: true) {} }
        readiness.setOpen(false)
        events.close()
        stop(publicServer, grace: live.current.shutdown.grace, leavesListeners) {
            guard leavesListeners else { return }
            // Before the store: what is made without it would count as done.
            warmer.stop()
            store.close()
        }
        // Before the admin listener, which would wait for the streams of jobs.
        warmer.stop()
        if let adminServer { stop(adminServer, grace: 1000, leavesListeners) }
        cluster?.stop()
        pressure.stop()
        tracer.stop()
        nodes?.stop()
        sharedStore?.close(waiting: 2_000)
        leases?.stop()
        transfers.stop()
        files.stop()
        workers.stop()
        readLane.stop()
        store.close()
    }

    private func stop(_ server: HTTPServer, grace: Int, _ leavesListeners: Bool, meanwhile: () -> Void = {}) {
        let isStopped = Monitor(false)
        server.stop(graceMilliseconds: grace, leavesListeners: leavesListeners) { isStopped.update { $0 = true } }
        meanwhile()
        isStopped.wait { $0 ? () : nil }
    }
}
