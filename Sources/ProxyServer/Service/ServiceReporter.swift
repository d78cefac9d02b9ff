import LinuxSystem

/// Tells the service manager now and then that the daemon lives, and in a line what it does.
///
/// A sign of life is sent only when every event loop has answered a question since the last one: a daemon whose loops hang
/// would otherwise be kept alive by the one thread that does nothing else. On a thread of its own.
final class ServiceReporter: Sendable {
    /// What is asked of the daemon.
    struct Probes: Sendable {
        /// Calls back once every event loop has turned.
        var turn: @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void
        /// The line for people.
        var status: @Sendable () -> String
    }

    /// Nanoseconds between two lines for people where no watchdog asks for more.
    private static let statusInterval: Int64 = 10_000_000_000

    private let notifier: ServiceNotifier
    private let probes: Probes
    /// Nanoseconds; half of what the manager bears, as sd_watchdog_enabled(3) recommends.
    private let interval: Int64
    private let isWatched: Bool
    private let isOver = Monitor(false)
    private let lastStatus = Lock("")

    /// - Parameter watchdogMicroseconds: after which silence means death; `nil` where nobody watches.
    init(_ notifier: ServiceNotifier, probes: Probes, watchdogMicroseconds: Int64?) {
        self.notifier = notifier
        self.probes = probes
        isWatched = watchdogMicroseconds != nil
        interval = max(1_000_000, min(Self.statusInterval, (watchdogMicroseconds ?? .max / 1000) * 1000 / 2))
    }

    /// Begins.
    ///
    /// - Throws: `Errno` when threads run out.
    func start() throws(Errno) {
        try SystemThread.start(name: "service") { [self] in
            repeat { report() } while !Self.wait(for: isOver, nanoseconds: interval)
        }
    }

    /// Ends; nothing is sent any more, but what is being sent now.
    func stop() { isOver.update { $0 = true } }

    /// One round: a line if it has changed, a sign of life if there is one within the interval.
    func report() {
        let status = probes.status()
        let isNews = lastStatus.withLock { last in
            defer { last = status }
            return last != status
        }
        if isNews { notifier.send(.status(status)) }
        guard isWatched else { return }
        let hasTurned = Monitor(false)
        probes.turn { hasTurned.update { $0 = true } }
        if Self.wait(for: hasTurned, nanoseconds: interval) { notifier.send(.watchdog) }
    }

    private static func wait(for flag: Monitor<Bool>, nanoseconds: Int64) -> Bool {
        flag.wait(nanoseconds: nanoseconds) { $0 ? true : nil } ?? false
    }
}

/// What `systemctl status` shows of the daemon.
struct StatusLine {
    /// `1234 requests, 98 % from memory, 12 connections`.
    let text: String

    init(_ metrics: Metrics, connections: Int64) {
        let all = RequestResult.allCases.reduce(0) { $0 + metrics.requests.value($1) }
        let hits = metrics.requests.value(.memory)
        let share = all == 0 ? "" : ", \(hits * 100 / all) % from memory"
        text = "\(all) requests\(share), \(connections) connections"
    }
}
