/// A snapshot as people read it, with rates where there is one from before.
struct StatsTable {
    let now: StatsSnapshot
    /// The snapshot before, of the same run of the daemon.
    let before: StatsSnapshot?
    /// Seconds between the two.
    let seconds: Double

    /// Prints a snapshot.
    ///
    /// - Parameters:
    ///   - before: not counted with when the daemon has been started anew since.
    ///   - seconds: more than 0.
    init(_ now: StatsSnapshot, before: StatsSnapshot? = nil, seconds: Double = 1) {
        self.now = now
        self.before = before.flatMap { $0.uptime <= now.uptime && $0.requests.total <= now.requests.total ? $0 : nil }
        self.seconds = seconds
    }

    /// A line a part.
    var text: String {
        let rows = [head, requests, results, memory] + raw + disk + [transfers, workers, connections] + coders
        return rows.map { name, value in
            "\(name)\(String(repeating: " ", count: max(1, 14 - name.count)))\(Printing.plain(value))\n"
        }.joined()
    }

    private typealias Row = (String, String)

    private var head: Row {
        ("edgeprint", "\(now.version), up \(Printing.duration(now.uptime))\(now.ready ? "" : ", not ready")")
    }

    private var requests: Row {
        let part = before.map { now.requests.since($0.requests) } ?? now.requests
        let ratio = part.hitRatio.map { ", \(Printing.rounded($0 * 100)) % without origin" } ?? ""
        return (
            "requests",
            "\(now.requests.total)\(rate { $0.requests.total })\(ratio), \(now.requests.inFlight) under way, "
                + "\(Printing.size(now.requests.bytes)) sent\(byteRate { $0.requests.bytes })"
        )
    }

    private var results: Row {
        let counts = RequestResult.allCases.compactMap { result -> String? in
            guard let count = now.requests.results[result.value], count > 0 else { return nil }
            return "\(result.value) \(count)\(rate { $0.requests.results[result.value] ?? 0 })"
        }
        return ("", counts.isEmpty ? "none yet" : counts.joined(separator: ", "))
    }

    private var memory: Row {
        let allowed = now.memoryPressure.allowed
        let reduced = allowed < now.memory.quota + (now.raw?.quota ?? 0) && now.memoryPressure.steps > 0
        return ("memory", tier(now.memory) + (reduced ? ", memory is short: \(Printing.size(allowed)) allowed" : ""))
    }

    private var raw: [Row] { now.raw.map { [("raw", tier($0))] } ?? [] }

    private var disk: [Row] {
        let disk = now.disk
        func tier(_ tier: StatsSnapshot.Tier, drops: Int) -> String {
            self.tier(tier) + (drops == 0 ? "" : ", \(Printing.count(drops, "drop"))")
        }
        // What is about neither class alone.
        let whole = [
            disk.health == "ok" ? nil : disk.health,
            disk.errors == 0 ? nil : Printing.count(disk.errors, "error"),
            disk.queuedWrites == 0 ? nil : "\(Printing.count(disk.queuedWrites, "write")) queued",
        ].compactMap(\.self)
        return (whole.isEmpty ? [] : [("disk", whole.joined(separator: ", "))]) + [
            ("originals", tier(disk.originals, drops: disk.originalDrops)),
            ("variants", tier(disk.variants, drops: disk.variantDrops)),
        ]
    }

    private var transfers: Row {
        let now = now.transfers
        return (
            "transfers",
            "\(now.requests)\(rate { $0.transfers.requests }), \(now.active) active, \(now.waiting) waiting, "
                + "\(Printing.size(now.bytes))\(byteRate { $0.transfers.bytes }), "
                + "\(Printing.count(now.newConnections, "connection")), \(now.reusedConnections) reuses"
        )
    }

    private var workers: Row {
        let now = now.workers
        let lost = now.restarts == 0 ? "" : ", \(Printing.count(now.restarts, "restart")) (\(now.deadly) deadly)"
        return (
            "workers",
            "\(now.ready) of \(now.slots) ready, \(now.busy) busy, \(now.queued) queued, "
                + "\(Printing.count(now.jobs, "job"))\(rate { $0.workers.jobs }), "
                + "\(Printing.size(now.residentBytes)) resident\(lost)"
        )
    }

    private var connections: Row {
        let now = now.connections
        let refused = now.turnedAway == 0 ? "" : ", \(now.turnedAway) turned away"
        return (
            "connections",
            "\(now.open) of \(now.limit) open, \(now.accepted) accepted\(rate { $0.connections.accepted })\(refused)"
        )
    }

    private var coders: [Row] {
        guard let coders = now.coders else { return [] }
        func names(_ which: (StatsSnapshot.Coders.Format) -> Bool) -> String {
            coders.formats.filter(which).map(\.format).joined(separator: " ")
        }
        return [
            ("coders", "libvips \(coders.libvips), reads \(names(\.decodes))"), ("", "writes \(names(\.encodes))"),
        ]
    }

    private func tier(_ tier: StatsSnapshot.Tier) -> String {
        let share = tier.quota == 0 ? "" : " (\(tier.bytes * 100 / tier.quota) %)"
        return "\(Printing.size(tier.bytes)) of \(Printing.size(tier.quota))\(share), "
            + "\(Printing.count(tier.entries, "entry", plural: "entries")), \(tier.evictions) evicted"
    }

    /// ` (12/s)` of what grows; nothing without a snapshot from before.
    private func rate(_ value: (StatsSnapshot) -> Int) -> String {
        guard let before else { return "" }
        return " (\(Printing.rounded(Double(value(now) - value(before)) / seconds))/s)"
    }

    private func byteRate(_ value: (StatsSnapshot) -> Int) -> String {
        guard let before else { return "" }
        return " (\(Printing.size(Int(Double(value(now) - value(before)) / seconds)))/s)"
    }
}

extension StatsSnapshot.Requests {
    /// What came after another snapshot.
    func since(_ before: StatsSnapshot.Requests) -> StatsSnapshot.Requests {
        var result = self
        result.total -= before.total
        result.bytes -= before.bytes
        for (name, count) in before.results { result.results[name, default: 0] -= count }
        for (name, count) in before.statuses { result.statuses[name, default: 0] -= count }
        return result
    }
}
