import HTTPKit
import LinuxSystem

/// What the daemon tells its service manager in the course of its life; tells nobody where there is none.
struct ServiceLink: Sendable {
    private let notifier: ServiceNotifier?
    private let reporter: ServiceReporter?
    private let parts: DaemonParts
    private let time: any TimeSource

    init(_ environment: ServiceEnvironment, parts: DaemonParts, time: any TimeSource) {
        notifier = environment.notifySocket.flatMap { ServiceNotifier(address: $0) }
        self.parts = parts
        self.time = time
        reporter = notifier.map { notifier in
            ServiceReporter(
                notifier,
                probes: ServiceReporter.Probes(
                    turn: { parts.pingLoops($0) },
                    status: {
                        StatusLine(parts.metrics, connections: parts.publicServer.statistics.openConnections).text
                    }
                ),
                watchdogMicroseconds: environment.watchdogMicroseconds
            )
        }
    }

    /// The listeners are open.
    ///
    /// - Throws: `Errno` when threads run out.
    func started() throws(Errno) {
        notifier?.send(.ready)
        try reporter?.start()
    }

    /// Tells before and after; the manager waits until the daemon is ready again.
    func reload(_ body: () -> Void) {
        notifier?.send(.reloading(since: time.monotonic / 1000))
        body()
        notifier?.send(.ready)
    }

    /// The drain begins, and may take its grace.
    func stopping() {
        reporter?.stop()
        let grace = Int64(parts.live.current.shutdown.grace) * 1000
        notifier?.send(.stopping, .extendTimeout(microseconds: grace + 5_000_000))
    }
}
