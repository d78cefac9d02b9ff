import CLinux
import Glibc
package import LinuxSystem
import Synchronization

/// Why a server did not start.
package enum ServerStartError: Error, Hashable, Sendable {
    /// An address cannot be listened on: taken, not this machine's, not permitted, or no name.
    case address(ListenAddress, Errno)
    /// The system refuses a thread, an epoll or an eventfd.
    case resources(Errno)
    /// It has been started before.
    case alreadyStarted
}

/// An HTTP/1.1 server (RFC 9110, RFC 9112) on BSD sockets: one thread, one epoll and one listener per loop.
///
/// It is started once and stopped once; safe to use from any thread.
package final class HTTPServer: Sendable {
    private struct State {
        var hasStarted = false
        var boundAddresses: [ListenAddress] = []
        var mailboxes: [LoopMailbox] = []
        var runningLoops = 0
        var unixPaths: [String] = []
        var completions: [@Sendable () -> Void] = []
    }

    private let configuration: ServerConfiguration
    private let handler: any RequestHandler
    private let shared: ServerShared
    private let state = Lock(State())

    /// Creates a server that listens nowhere yet.
    package init(configuration: ServerConfiguration, handler: any RequestHandler) {
        var configuration = configuration
        configuration.loops = max(1, configuration.loops)
        self.configuration = configuration
        self.handler = handler
        shared = ServerShared(loops: configuration.loops)
    }

    /// Opens the listeners and starts the loops; when it returns, connections are accepted.
    ///
    /// - Throws: `ServerStartError`; nothing is left open then.
    package func start() throws(ServerStartError) {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else { throw .alreadyStarted }
        var perLoop = [[Listener]](repeating: [], count: configuration.loops)
        var bound: [ListenAddress] = []
        for address in configuration.addresses {
            do throws(Errno) {
                let opened = try ListenerFactory.open(address, configuration)
                for (index, listener) in opened.listeners.enumerated() { perLoop[index].append(listener) }
                bound.append(opened.bound)
            } catch {
                throw .address(address, error)
            }
        }
        do throws(Errno) {
            try startLoops(perLoop, bound)
        } catch {
            throw .resources(error)
        }
    }

    /// Where the server listens, with the ports that were bound; empty before `start`.
    package var boundAddresses: [ListenAddress] { state.withLock { $0.boundAddresses } }

    /// What has been counted since the start.
    package var statistics: ServerStatistics { ServerStatistics(shared.counters) }

    /// Stops: no new connections, what is in flight is finished, last answers say `Connection: close`.
    ///
    /// - Parameters:
    ///   - graceMilliseconds: how long; then connections are closed as they are.
    ///   - completion: called once all loops have ended, on one of their threads, or at once if none runs.
    package func stop(graceMilliseconds: Int, completion: @escaping @Sendable () -> Void) {
        let (mailboxes, paths) = state.withLock { state -> ([LoopMailbox], [String]) in
            guard state.runningLoops > 0 else { return ([], []) }
            state.completions.append(completion)
            defer { state.unixPaths = [] }
            return (state.mailboxes, state.unixPaths)
        }
        if mailboxes.isEmpty { return completion() }
        // At once, and not when the last loop ends: by then the path may be our successor's.
        for path in paths { unsafe unlink(path) }
        let deadline = configuration.time.monotonic + ServerTimeouts.nanoseconds(graceMilliseconds)
        for mailbox in mailboxes { mailbox.post(.drain(deadline: deadline)) }
    }

    /// Calls back once every loop has turned: at once where none runs, never while one hangs.
    package func askLoops(_ completion: @escaping @Sendable () -> Void) {
        let mailboxes = state.withLock { $0.runningLoops > 0 ? $0.mailboxes : [] }
        guard !mailboxes.isEmpty else { return completion() }
        let missing = LoopCount(mailboxes.count)
        for mailbox in mailboxes {
            mailbox.post(.answer { if missing.decrement() { completion() } })
        }
    }

    /// Gives a running server other bounds; a timeout that runs already runs on as it was set.
    package func adjust(timeouts: ServerTimeouts, maximumConnections: Int) {
        for mailbox in state.withLock({ $0.mailboxes }) {
            mailbox.post(.adjust(timeouts, maximumConnections: maximumConnections))
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
                // Those that run already end at once.
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

/// Counts down, from any thread.
private final class LoopCount: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// Whether this was the last one.
    func decrement() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
