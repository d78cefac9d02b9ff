import Glibc
import HTTPKit
import LinuxSystem

/// Reports the daemon's state changes to the service manager; does nothing without one.
struct ServiceLink: Sendable {
    private let notifier: ServiceNotifier?
    private let reporter: ServiceReporter?
    private let parts: DaemonParts
    private let time: any TimeSource
    /// Whether the service manager stores descriptors.
    private let hasStore: Bool
    private let isKept = Monitor(false)
    /// Whether this is the service's main process from the beginning.
    private let isMain: Bool

    init(_ environment: ServiceEnvironment, parts: DaemonParts, time: any TimeSource) {
        notifier = environment.notifySocket.flatMap { ServiceNotifier(address: $0) }
        self.parts = parts
        self.time = time
        isMain = environment.predecessor == nil
        hasStore = notifier != nil && environment.storeSize > 0
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
        if isMain {
            if hasStore { keepSockets() }
            notifier?.send(.ready)
        } else if hasStore {
            // By the predecessor; the manager takes nothing from this process before it knows it.
            isKept.update { $0 = true }
        }
        try reporter?.start()
    }

    /// Whether the service manager keeps the listening sockets, so that connections wait there while the daemon restarts.
    var keepsSockets: Bool { isKept.withLock { $0 } }

    private func keepSockets() {
        let own = parts.namedSockets.filter { SocketName($0.name) != nil }
        let sent = own.prefix { notifier?.keep($0.descriptor.number, named: $0.name) == true }
        isKept.update { $0 = sent.count == own.count }
    }

    /// Closes passed sockets that are no longer used.
    func close(_ sockets: [ServiceEnvironment.Socket]) {
        for socket in sockets { Glibc.close(socket.number) }
        guard isMain, !sockets.isEmpty else { return }
        forget(sockets)
        guard hasStore else { return }
        notifier?.waitUntilProcessed()
        waitForAddresses()
    }

    /// Waits until the manager's copies of unused sockets no longer occupy the addresses that are bound next, since it closes them on a
    /// thread of its own; for two seconds at most, since another program may have them.
    private func waitForAddresses() {
        let (configuration, sockets) = (parts.live.current, parts.sockets)
        let addresses =
            configuration.listen.filter { sockets.ownPublic[$0] == nil }
            + configuration.admin.listen.filter { sockets.ownAdmin[$0] == nil }
        let tcp = addresses.filter { $0.port != nil }
        let end = time.monotonic + 2_000_000_000
        while time.monotonic < end, tcp.contains(where: { ListenTrial.error($0)?.code == EADDRINUSE }) {
            usleep(10_000)
        }
    }

    /// Brings the manager's sockets up to date once the predecessor has ended.
    ///
    /// The manager takes nothing from a process before it knows that it is the main one, which the predecessor has told it last. It
    /// keeps a socket that it has already only once.
    func tookOver(without unused: [ServiceEnvironment.Socket]) {
        forget(unused)
        if hasStore { keepSockets() }
    }

    /// Has the manager close sockets that it keeps, and removes their paths.
    private func forget(_ sockets: [ServiceEnvironment.Socket]) {
        let configuration = parts.live.current
        let used = configuration.listen + configuration.admin.listen
        for name in Set(sockets.map(\.name)).sorted() {
            if case .unix(let path)? = SocketName(name)?.address, !used.contains(.unix(path: path)) {
                unsafe unlink(path)
            }
            if hasStore { notifier?.send(.forget(socket: name)) }
        }
    }

    /// Reports that another process is the service from now on.
    func succeeded(by process: pid_t) {
        reporter?.stop()
        // Without it, the service would end with this process. Ten seconds, for a manager that is behind.
        var attempts = 0
        while notifier?.send(.main(process: process)) == false, attempts < 1_000 {
            attempts += 1
            usleep(10_000)
        }
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
