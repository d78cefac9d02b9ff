import HTTPKit
import ImagePipeline
import LinuxSystem
import Logging

extension DaemonParts {
    /// Opens the listeners: from here on requests are answered.
    func start() throws(ServerStartError) {
        if let adminServer {
            try adminServer.start()
            announce(adminServer, as: "admin")
        }
        try publicServer.start()
        // Without a thread for it the cache keeps its quota, and everything else works.
        do throws(Errno) { try pressure.start() } catch {
            logger.warning("memory pressure is not watched", metadata: ["error": "\(error)"])
        }
        announce(publicServer, as: "public")
        readiness.isReady = true
        logger.info("ready")
    }

    /// Calls back once every event loop of both listeners has turned.
    func askLoops(_ completion: @escaping @Sendable () -> Void) {
        publicServer.askLoops { [adminServer] in
            if let adminServer { adminServer.askLoops(completion) } else { completion() }
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
        readiness.isReady = false
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
