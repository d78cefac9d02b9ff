/// The screen of `edgeprint stats --watch`: rates, latencies, workers and caches, with their recent past as sparklines.
struct Dashboard {
    /// What a running daemon reports at one moment.
    struct Reading: Sendable {
        /// The response of `/stats`.
        var statistics: JSONValue
        /// The text of `/metrics`.
        var metrics: String
        /// The monotonic clock in nanoseconds.
        var at: Int64
    }

    /// The recent past: one value per reading.
    private struct Past {
        var requests: [Double?] = []
        var hits: [Double?] = []
        var latency: [Double?] = []

        /// The largest number of values, as many as a wide terminal shows.
        static let most = 240

        mutating func add(_ requests: Double?, _ hits: Double?, _ latency: Double?) {
            Self.push(requests, &self.requests)
            Self.push(hits, &self.hits)
            Self.push(latency, &self.latency)
        }

        private static func push(_ value: Double?, _ values: inout [Double?]) {
            if values.count == most { values.removeFirst() }
            values.append(value)
        }
    }

    private var past = Past()
    private var before: Reading?
    private var change: StatisticsChange?
    /// The latencies since the previous reading, by stage; "" for whole requests.
    private var latencies: [String: LatencyHistogram] = [:]
    /// Why the last reading failed; `nil` if it did not.
    private(set) var trouble: String?

    private static let families = [
        ("", "edgeprint_request_duration_seconds"), ("fetch", "edgeprint_fetch_duration_seconds"),
        ("queue", "edgeprint_queue_duration_seconds"), ("decode", "edgeprint_decode_duration_seconds"),
        ("transform", "edgeprint_transform_duration_seconds"), ("encode", "edgeprint_encode_duration_seconds"),
    ]

    init() {}

    /// Adds a reading, which is compared with the previous one.
    mutating func add(_ reading: Reading) {
        let seconds = before.map { max(0.001, Double(reading.at - $0.at) / 1e9) } ?? 1
        let change = StatisticsChange(
            reading.statistics,
            before: before?.statistics,
            seconds: seconds,
            table: StatisticsTable.all
        )
        latencies = Dictionary(
            Self.families.map { name, family in
                let earlier = change.before == nil ? nil : before.map { LatencyHistogram(family, in: $0.metrics) }
                return (name, LatencyHistogram(family, in: reading.metrics).since(earlier))
            }
        ) { $1 }
        (self.change, before, trouble) = (change, reading, nil)
        past.add(rate("requests.total"), hitRatio, latencies[""]?.quantile(0.95))
    }

    /// Records that the daemon could not be read.
    mutating func fail(_ reason: String) {
        trouble = reason
        past.add(nil, nil, nil)
    }

    /// The share of image requests since the previous reading that needed no origin, 0–1.
    private var hitRatio: Double? {
        change.flatMap { change in RequestResult.hitRatio { change.growth("requests.results.\($0.value)") } }
    }

    /// The increase of a counter per second; `nil` without a previous reading.
    private func rate(_ path: String) -> Double? {
        guard let change, change.before != nil else { return nil }
        return Double(change.growth(path)) / change.seconds
    }

    private func number(_ path: String) -> Int { change?.number(path) ?? 0 }
}

extension Dashboard {
    /// The lines of the screen.
    ///
    /// - Parameters:
    ///   - size: columns and rows of the terminal.
    ///   - interval: the seconds between two readings.
    func lines(_ size: TerminalSize, _ look: TerminalLook, interval: Double) -> [String] {
        let chart = DashboardChart(isUnicode: look.isUnicode)
        let bar = max(10, min(40, size.columns / 3))
        // Words beside a sparkline take up to 48 characters.
        let spark = max(0, min(Past.most, size.columns - 50))
        var lines = [title(interval)]
        lines += traffic(chart, spark)
        lines += [latency(chart, spark), stages, DashboardLine(), workers(chart, bar), queue, origins, DashboardLine()]
        lines += [("memory", "memory"), ("raw", "raw"), ("originals", "disk.originals"), ("variants", "disk.variants")]
            .compactMap { name, path in tier(name, path, chart, bar) }
        lines.append(connections(chart, bar))
        return lines.prefix(max(1, size.rows)).map { line in
            let text = line.text(width: size.columns, isColoured: look.isColoured)
            return look.isUnicode ? text : text.replacing("µ", with: "u")
        }
    }

    private func title(_ interval: Double) -> DashboardLine {
        var line = DashboardLine()
        line.add("edgeprint ", .title)
        line.add("\(change?.now["version"]?.words ?? ""), up \(Printing.duration(number("uptime")))")
        let isReady = change?.now["ready"] == .bool(true)
        line.add(isReady ? ", ready" : ", not ready", isReady ? .good : .bad)
        let health = change?.now["disk.health"]?.words ?? "ok"
        if health != "ok" { line.add(", disk \(health)", .warning) }
        if let trouble {
            line.add("; \(trouble)", .bad)
        } else {
            line.add("; every \(Printing.rounded(interval)) s, Ctrl-C ends", .muted)
        }
        return line
    }

    private func traffic(_ chart: DashboardChart, _ spark: Int) -> [DashboardLine] {
        var requests = DashboardLine("requests")
        let sent = rate("requests.bytes").map { ", \(Printing.size(Int($0)))/s sent" } ?? ""
        requests.add("\(Self.perSecond(rate("requests.total")))\(sent), \(number("requests.inFlight")) running".column)
        requests.add(chart.spark(past.requests, width: spark), .accent)
        var hits = DashboardLine("hits")
        hits.add("\(hitRatio.map { "\(Printing.rounded($0 * 100)) %" } ?? "-") without origin".column)
        hits.add(chart.spark(past.hits, width: spark, most: 1), .good)
        var results = DashboardLine("results")
        let counts = RequestResult.allCases.compactMap { result -> (result: RequestResult, text: String)? in
            let path = "requests.results.\(result.value)"
            guard number(path) > 0 else { return nil }
            return (result, "\(result.value) \(rate(path).map { Self.perSecond($0) } ?? "\(number(path))")")
        }
        for (index, count) in counts.enumerated() {
            if index > 0 { results.add(", ") }
            results.add(count.text, Self.paint(count.result))
        }
        if counts.isEmpty { results.add("none yet", .muted) }
        return [requests, hits, results]
    }

    private func latency(_ chart: DashboardChart, _ spark: Int) -> DashboardLine {
        var line = DashboardLine("latency")
        let whole = latencies[""]
        let words = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { name, share in
            "\(name) \(Self.duration(whole?.quantile(share)))"
        }
        line.add(words.joined(separator: ", ").column)
        line.add(chart.spark(past.latency, width: spark), .warning)
        return line
    }

    private var stages: DashboardLine {
        var line = DashboardLine("p95 of")
        let words = Self.families.dropFirst().map { name, _ in
            "\(name) \(Self.duration(latencies[name]?.quantile(0.95)))"
        }
        line.add(words.joined(separator: ", "))
        return line
    }

    private func workers(_ chart: DashboardChart, _ bar: Int) -> DashboardLine {
        var line = DashboardLine("workers")
        let (busy, ready, slots) = (number("workers.busy"), number("workers.ready"), number("workers.slots"))
        line.add(chart.bar(Double(busy) / Double(max(1, slots)), width: bar), ready < slots ? .warning : .accent)
        line.add(" \(busy) busy, \(ready) of \(slots) ready, \(Self.perSecond(rate("workers.jobs")))")
        return line
    }

    private var queue: DashboardLine {
        var line = DashboardLine("queue")
        let waiting = number("workers.queued")
        line.add(
            "\(Printing.count(waiting, "job")) of \(number("workers.queuedMilliseconds")) ms, "
                + "a new client waits \(number("workers.predictedWait")) ms",
            waiting > 0 ? .warning : .plain
        )
        let refused = rate("workers.refused") ?? 0
        if refused > 0 { line.add(", \(Self.perSecond(refused)) refused", .bad) }
        return line
    }

    private var origins: DashboardLine {
        var line = DashboardLine("origins")
        let bytes = rate("transfers.bytes").map { ", \(Printing.size(Int($0)))/s" } ?? ""
        line.add(
            "\(Self.perSecond(rate("transfers.requests")))\(bytes), \(number("transfers.active")) active, "
                + "\(number("transfers.waiting")) waiting"
        )
        let open = number("breakers.open")
        if open > 0 { line.add(", \(Printing.count(open, "open breaker"))", .bad) }
        return line
    }

    private func tier(_ name: String, _ path: String, _ chart: DashboardChart, _ bar: Int) -> DashboardLine? {
        guard let quota = change?.number("\(path).quota"), quota > 0 else { return nil }
        var line = DashboardLine(name)
        line.add(chart.bar(Double(number("\(path).bytes")) / Double(quota), width: bar), .accent)
        line.add(" \(Printing.size(number("\(path).bytes"))) of \(Printing.size(quota)), ")
        line.add(Printing.count(number("\(path).entries"), "entry", plural: "entries"))
        if let evictions = rate("\(path).evictions"), evictions > 0 {
            line.add(", \(Self.perSecond(evictions)) evicted")
        }
        return line
    }

    private func connections(_ chart: DashboardChart, _ bar: Int) -> DashboardLine {
        var line = DashboardLine("connections")
        let (open, limit) = (number("connections.open"), max(1, number("connections.limit")))
        let share = Double(open) / Double(limit)
        line.add(chart.bar(share, width: bar), share > 0.9 ? .bad : share > 0.7 ? .warning : .accent)
        line.add(" \(open) of \(limit)")
        return line
    }

    private static func paint(_ result: RequestResult) -> DashboardLine.Paint {
        switch result {
        case .memory, .disk, .original, .shared: .good
        case .miss, .collapsed, .revalidated, .owner, .other: .plain
        case .stale, .negative, .fallback, .placeholder, .brownout, .refused: .warning
        case .error: .bad
        }
    }

    private static func perSecond(_ rate: Double?) -> String { rate.map { "\(Printing.rounded($0))/s" } ?? "-/s" }

    /// A duration in the unit that fits.
    private static func duration(_ seconds: Double?) -> String {
        guard let seconds else { return "-" }
        if seconds < 0.001 { return "\(Printing.rounded(seconds * 1e6)) µs" }
        return seconds < 1 ? "\(Printing.rounded(seconds * 1e3)) ms" : "\(Printing.rounded(seconds)) s"
    }
}

extension String {
    /// The text padded to the column in which sparklines begin.
    fileprivate var column: String { self + String(repeating: " ", count: max(2, 38 - count)) }
}
