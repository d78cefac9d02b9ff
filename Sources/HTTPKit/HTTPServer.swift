import CLinux
import Glibc
package import LinuxSystem
import Synchronization

/// The reason a server did not start.
package enum ServerStartError: Error, Hashable, Sendable {
    /// An address cannot be bound: it is in use, not local, not permitted, or cannot be resolved.
    case address(ListenAddress, Errno)
    /// The system has no resources for a thread, an epoll instance or an eventfd.
    case resources(Errno)
    /// The server has been started before.
    case alreadyStarted
}

/// An HTTP/1.1 server (RFC 9110, RFC 9112) on BSD sockets: one thread, one epoll and one listener per loop.
///
/// Start it once and stop it once. All methods may be called from any thread.
package final class HTTPServer: Sendable {
    private struct State {
        var hasStarted = false
        var boundAddresses: [ListenAddress] = []
        var mailboxes: [LoopMailbox] = []
        var runningLoops = 0
        var unixPaths: [String] = []
        var sockets: [ListeningSocket] = []
        var completions: [@Sendable () -> Void] = []
    }

    private let configuration: ServerConfiguration
    private let handler: any RequestHandler
    private let shared: ServerShared
    private let state = Lock(State())

    /// Creates a server that is not listening yet.
    package init(configuration: ServerConfiguration, handler: any RequestHandler) {
        var configuration = configuration
        configuration.loops = max(1, configuration.loops)
        self.configuration = configuration
        self.handler = handler
        shared = ServerShared(loops: configuration.loops)
    }

    /// Opens the listeners and starts the loops; accepts connections when it returns.
    ///
    /// - Throws: `ServerStartError`; nothing stays open in that case.
    package func start() throws(ServerStartError) {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { throw .alreadyStarted }
        var perLoop = [[Listener]](repeating: [], count: configuration.loops)
        var bound: [ListenAddress] = []
        var sockets: [ListeningSocket] = []
        for address in configuration.addresses {
            do throws(Errno) {
                let opened = try ListenerFactory.open(address, configuration)
                for (index, listener) in opened.listeners.enumerated() {
                    perLoop[index % configuration.loops].append(listener)
                }
                bound.append(opened.bound)
                sockets += ListeningSocket.all(of: opened.listeners, at: address)
            } catch {
                throw .address(address, error)
            }
        }
        do throws(Errno) {
            try startLoops(perLoop, bound)
        } catch {
            throw .resources(error)
        }
        state.withLock { $0.sockets = sockets }
    }

    /// The listening sockets, which another process can take over; empty before `start` and after `stop`.
    package var listeningSockets: [ListeningSocket] { state.withLock { $0.sockets } }

    /// The addresses the server listens on, with the bound ports; empty before `start`.
    package var boundAddresses: [ListenAddress] { state.withLock { $0.boundAddresses } }

    /// What the server's clients use.
    package var accounts: ClientAccounts { configuration.accounts }

    /// The counters since the start.
    package var statistics: ServerStatistics { ServerStatistics(shared.counters) }

    /// Stops accepting, finishes what is in flight, and then ends; last responses carry `Connection: close`.
    ///
    /// - Parameters:
    ///   - graceMilliseconds: how long to wait before connections are closed as they are.
    ///   - leavesListeners: whether another process has the listening sockets, so that connections which wait there are left to
    ///     it, and the paths of Unix sockets stay.
    ///   - completion: called once all loops have ended, on the thread of one of them, or at once if none is running.
    package func stop(
        graceMilliseconds: Int,
        leavesListeners: Bool = false,
        completion: @escaping @Sendable () -> Void
    ) {
        let (mailboxes, paths) = state.withLock { state -> ([LoopMailbox], [String]) in
            guard state.runningLoops > 0 else { return ([], []) }
            state.completions.append(completion)
            defer {
                state.unixPaths = []
                state.sockets = []
            }
            return (state.mailboxes, leavesListeners ? [] : state.unixPaths)
        }
        if mailboxes.isEmpty { return completion() }
        // At once, not after the last loop has ended: by then the path may belong to a successor.
        for path in paths { unsafe unlink(path) }
        let deadline = configuration.time.monotonic + ServerTimeouts.nanoseconds(graceMilliseconds)
        for mailbox in mailboxes { mailbox.post(.drain(deadline: deadline, leavesListeners: leavesListeners)) }
    }

    /// Calls back once every loop has completed a turn: at once if none is running, never while one hangs.
    package func pingLoops(_ completion: @escaping @Sendable () -> Void) {
        let mailboxes = state.withLock { $0.runningLoops > 0 ? $0.mailboxes : [] }
        guard !mailboxes.isEmpty else { return completion() }
        let missing = LoopCount(mailboxes.count)
        for mailbox in mailboxes {
            mailbox.post(.ping { if missing.decrement() { completion() } })
        }
    }

    /// Changes the limits of a running server; timers already set keep their deadlines.
    package func adjust(
        timeouts: ServerTimeouts,
        maximumConnections: Int,
        perClient: Int = .max,
        halfClose: ServerConfiguration.HalfClosePolicy
    ) {
        for mailbox in state.withLock({ $0.mailboxes }) {
            mailbox.post(.adjust(timeouts, connections: (maximumConnections, perClient), halfClose))
        }
    }

    private func startLoops(_ listeners: [[Listener]], _ bound: [ListenAddress]) throws(Errno) {
        var seeds: [LoopSeed] = []
        for index in 0..<configuration.loops {
            let epoll = SharedDescriptor(owning: try checked("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
            let mailbox = try LoopMailbox()
            try EventLoop.watch(epoll.number, mailbox, listeners[index])
            seeds.append(
                LoopSeed(
                    index: index,
                    configuration: configuration,
                    handler: handler,
                    epoll: epoll,
                    listeners: ListenerBox(listeners[index]),
                    mailbox: mailbox,
                    shared: shared,
                    counters: shared.counters[index]
                )
            )
        }
        let mailboxes = seeds.map(\.mailbox)
        let paths = bound.compactMap { if case .unix(let path) = $0 { path } else { nil } }
        state.withLock { state in
            state.boundAddresses = bound
            state.mailboxes = mailboxes
            state.unixPaths = paths
        }
        for seed in seeds {
            state.withLock { $0.runningLoops += 1 }
            do throws(Errno) {
                try SystemThread.start(name: "http-loop-\(seed.index)") { [self] in
                    EventLoop(seed).run()
                    loopEnded()
                }
            } catch {
                // End the loops already running.
                for mailbox in mailboxes { mailbox.post(.drain(deadline: .min)) }
                loopEnded()
                throw error
            }
        }
    }

    private func loopEnded() {
        let completions = state.withLock { state -> [@Sendable () -> Void] in
            state.runningLoops -= 1
            guard state.runningLoops == 0 else { return [] }
            defer { state.completions = [] }
            return state.completions
        }
        for completion in completions { completion() }
    }
}

/// A countdown, usable from any thread.
private final class LoopCount: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// Decrements; returns whether the count reached zero.
    func decrement() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
