import LinuxSystem

/// How a target of a warm job ended.
enum WarmResult: Int, MetricLabel {
    case done, skipped, failed

    var value: String { "\(self)" }
    var index: Int { rawValue }
}

/// Counts of warm jobs, apart from those of requests; any thread.
final class WarmMetrics: Sendable {
    /// Targets that have ended, by result.
    let targets = Counter<WarmResult>(loops: 0)
    private let gauges = Lock((running: 0, waiting: 0))

    /// Jobs that are running.
    var running: Int { gauges.withLock { $0.running } }
    /// Targets of running jobs that have not ended.
    var waiting: Int { gauges.withLock { $0.waiting } }

    /// Sets the gauges.
    func set(running: Int, waiting: Int) { gauges.withLock { $0 = (running, waiting) } }
}
