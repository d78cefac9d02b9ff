import LinuxSystem

/// Sends watchdog keep-alives and a status line to the service manager, on its own thread.
///
/// A keep-alive is sent only if every event loop has responded since the last one. Otherwise this thread would keep a daemon
/// with blocked loops alive.
final class ServiceReporter: Sendable {
    /// The probes of the daemon.
    struct Probes: Sendable {
        /// Calls back when every event loop has run.
        var turn: @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void
        /// Returns the status line.
        var status: @Sendable () -> String
    }

    /// The longest interval between status lines, in nanoseconds; a watchdog can shorten it.
    private static let statusInterval: Int64 = 10_000_000_000

    private let notifier: ServiceNotifier
    private let probes: Probes
    /// The interval in nanoseconds: half of the watchdog timeout, as sd_watchdog_enabled(3) recommends.
    private let interval: Int64
    private let isWatched: Bool
    private let isOver = Monitor(false)
    private let lastStatus = Lock("")

    /// - Parameter watchdogMicroseconds: the watchdog timeout, or `nil` without a watchdog.
    init(_ notifier: ServiceNotifier, probes: Probes, watchdogMicroseconds: Int64?) {
        self.notifier = notifier
        self.probes = probes
        isWatched = watchdogMicroseconds != nil
        interval = max(1_000_000, min(Self.statusInterval / 1000, (watchdogMicroseconds ?? .max) / 2) * 1000)
    }

    /// Starts the thread.
    ///
    /// - Throws: `Errno` if no thread can be created.
    func start() throws(Errno) {
        try SystemThread.start(name: "service") { [self] in
            repeat { report() } while !Self.wait(for: isOver, nanoseconds: interval)
        }
    }

    /// Stops the thread after the message that is being sent, if any.
    func stop() { isOver.update { $0 = true } }

    /// Sends the status line if it has changed, and a keep-alive if the loops respond within the interval.
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

/// The status line of the daemon in `systemctl status`.
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
