import HTTPKit
import LinuxSystem

/// Reports the daemon's state changes to the service manager; does nothing without one.
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

    /// Reports that the listeners are open, and starts the watchdog.
    ///
    /// - Throws: `Errno` if no thread can be created.
    func started() throws(Errno) {
        notifier?.send(.ready)
        try reporter?.start()
    }

    /// Reports the reload before and after; the manager waits until the daemon is ready again.
    func reload(_ body: () -> Void) {
        notifier?.send(.reloading(since: time.monotonic / 1000))
        body()
        notifier?.send(.ready)
    }

    /// Reports that draining begins, which may take the grace period.
    func stopping() {
        reporter?.stop()
        let grace = Int64(parts.live.current.shutdown.grace) * 1000
        notifier?.send(.stopping, .extendTimeout(microseconds: grace + 5_000_000))
    }
}
