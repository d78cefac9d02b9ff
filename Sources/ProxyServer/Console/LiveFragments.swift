import AdminPages
import Cluster
import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// The changing parts of the *Live* page, by the `id` of their elements.
///
/// The page contains them when it is loaded, and a script replaces them with those of the stream, so that page and script show
/// the same.
struct LiveFragments {
    let reading: LiveReading

    /// The rows of each list.
    private static let rows = (recent: 18, slowest: 10, failed: 10, pictures: 10, sources: 10, warm: 6)

    /// All fragments.
    var all: [(id: String, html: HTML)] {
        [
            ("status", status), ("answers", answers), ("queues", queues), ("lanes", lanes),
            ("recent", HTML(reading.requests.recent.prefix(Self.rows.recent).map(row)).or("No request yet.")),
            ("slowest", HTML(reading.requests.slowest.prefix(Self.rows.slowest).map(row)).or("No request yet.")),
            ("failed", HTML(reading.requests.failed.prefix(Self.rows.failed).map(row)).or("No failed request.")),
            ("pictures", pictures), ("tiers", tiers), ("stored", stored), ("failures", failures), ("warm", warm),
            ("sources", sources),
        ]
    }

    private var counts: StatisticsReading { reading.statistics }

    /// The numbers at the top of the page.
    private var status: HTML {
        let ratio = RequestResult.hitRatio { Int(clamping: counts.metrics.requests.value($0)) }
        var tiles: [(String, String, String)] = [
            ("Requests", LiveText.rate(reading.rate(\.requests)), "/s"),
            ("Sent", reading.rate(\.bytes).map { Printing.size(Int($0)) } ?? "–", "/s"),
            ("Without origin", ratio.map { Printing.rounded($0 * 100) } ?? "–", "%"),
            ("In progress", LiveText.count(Int(counts.metrics.inFlight.value)), ""),
            ("Connections", LiveText.count(Int(counts.server.openConnections)), ""),
            ("Running for", Printing.duration(counts.uptime), ""),
        ]
        if let cluster = counts.cluster {
            tiles.append(("Nodes in touch", LiveText.count(cluster.nodes.count { !$0.isSilent }), ""))
            tiles.append(("Purges of the cluster", LiveText.count(Int(clamping: cluster.applied)), ""))
        }
        let cells = tiles.map { name, value, unit -> HTML in
            "<div><dt>\(name)</dt><dd>\(value)<small>\(unit)</small></dd></div>"
        }
        return "<dl class=\"tiles\">\(cells)</dl>\(conditions)"
    }

    /// What needs attention.
    private var conditions: HTML {
        var problems: [String] = []
        if !counts.isReady { problems.append("The daemon is not ready: no worker can be started, or it is draining.") }
        if case .degraded = counts.diskHealth { problems.append("The disk cache has failed; nothing is stored.") }
        if counts.sandbox.posture != nil, counts.sandbox.isWeak { problems.append("Workers are not confined.") }
        if !counts.breakers.isEmpty {
            problems.append("\(Printing.count(counts.breakers.count, "host")) of origins failed and are left alone.")
        }
        if let cluster = counts.cluster, !cluster.isInTouch {
            problems.append("The log of purges cannot be reached: purges of other nodes may be missing here.")
        }
        guard !problems.isEmpty else { return "" }
        return "<ul class=\"conditions\">\(problems.map { "<li>\($0)</li>" as HTML })</ul>"
    }

    /// The answers since the start by result, with the latencies of the recorded ones.
    private var answers: HTML {
        let latencies = reading.latencies
        let results = RequestResult.allCases.map { ($0, Int(clamping: counts.metrics.requests.value($0))) }
            .filter { $0.1 > 0 }
        let total = results.reduce(0) { $0 + $1.1 }
        let rows = results.map { result, count -> HTML in
            let latency = latencies[result]
            return """
                <tr><th scope="row">\(LiveText.result(result))</th><td>\(LiveText.count(count))</td>\
                <td>\(LiveText.percent(count, of: total))</td>\
                <td>\(latency.map { LiveText.duration($0.median) } ?? "–")</td>\
                <td>\(latency.map { LiveText.duration($0.slow) } ?? "–")</td></tr>
                """
        }
        return HTML(rows).or("No request yet.")
    }

    /// What waits, and for how long.
    private var queues: HTML {
        let (workers, transfers, disk) = (counts.workers, counts.transfers, counts.disk)
        var wait = "–"
        if let previous = reading.previous, transfers.answered > previous.answered {
            let queued = transfers.timing.queued - previous.queued
            wait = LiveText.duration(queued / Int64(transfers.answered - previous.answered))
        }
        let limit = counts.workers.workers.count
        let busy = counts.workers.workers.count { $0.isBusy }
        let rows: [(String, String, String)] = [
            (
                "Transforms", "\(workers.queued) waiting, \(busy) of \(limit) workers busy",
                "\(workers.queuedMilliseconds) ms"
            ),
            (
                "Wait of a new client", "\(Printing.count(workers.waitingAccounts, "client")) waiting",
                "\(workers.predictedWait) ms"
            ),
            ("Downloads", "\(transfers.waiting) waiting, \(transfers.active) active", wait),
            ("Writes to disk", "\(disk.queuedWrites) waiting", Printing.size(disk.queuedBytes)),
            ("Later AVIFs", "\(counts.deferredWaiting) waiting", ""),
            ("Refused, dropped", "transforms \(workers.refused), \(workers.dropped)", "downloads \(transfers.dropped)"),
        ]
        return HTML(
            rows.map { name, text, value -> HTML in
                "<tr><th scope=\"row\">\(name)</th><td>\(text)</td><td>\(value)</td></tr>"
            }
        )
    }

    /// The worker slots, with the job that each runs; a slot has no process until jobs need it.
    private var lanes: HTML {
        let slots = zip(counts.workers.workers, reading.lanes).enumerated().map { index, slot -> HTML in
            let (worker, lane) = slot
            let run = lane.runs.last
            let (state, job): (HTML, HTML) =
                if worker.pid == 0, !worker.isFilled {
                    ("<span class=\"muted\">not started</span>", "")
                } else if worker.pid == 0 {
                    ("<span class=\"tag t-error\">starting</span>", "")
                } else if let run, run.end == nil {
                    ("<span class=\"tag t-original\">runs</span>", title(run.title))
                } else {
                    ("<span class=\"muted\">idle</span>", run.map { title($0.title) } ?? "")
                }
            let age = run.map { LiveText.duration((($0.end ?? reading.now) - $0.start) / 1_000) } ?? "–"
            return """
                <tr><th scope="row">\(index + 1)</th><td>\(state)</td><td class="what">\(job)</td><td>\(age)</td>\
                <td>\(LiveText.count(worker.jobs))</td><td>\(Printing.size(worker.residentBytes))</td></tr>
                """
        }
        return HTML(slots)
    }

    private func title(_ title: JobTitle) -> HTML {
        let place = ShownTarget.original(source: title.source, url: title.url)
        return "<code>\(place)</code> <span class=\"muted\">\(LiveDocument.plans(title))</span>"
    }

    /// A request with its stages.
    private func row(_ request: RecordedRequest) -> HTML {
        """
        <tr><td><time>\(LiveText.timeOfDay(request.second))</time></td>\
        <td class="what"><code>\(ShownTarget.text(request.target))</code></td>\
        <td>\(LiveText.result(request.result))</td>\
        <td\(request.isFailure ? Self.bad : "")>\(request.status)\(request.isComplete ? "" : "†")</td>\
        <td>\(LiveText.duration(request.duration))</td><td class="stage">\(stages(request))</td>\
        <td>\(Printing.size(Int(request.bytes)))</td></tr>
        """
    }

    private func stages(_ request: RecordedRequest) -> HTML {
        guard let timings = request.timings else { return "" }
        let stages: [(String, UInt32)] = [
            ("fetch", timings.fetch), ("queue", timings.queue), ("decode", timings.decode),
            ("transform", timings.transform), ("encode", timings.encode), ("store", timings.store),
        ].filter { $0.1 > 0 }
        guard !stages.isEmpty else { return "" }
        let whole = max(Double(request.duration), stages.reduce(0) { $0 + Double($1.1) })
        let label = stages.map { "\($0.0) \(LiveText.duration(Int64($0.1)))" }.joined(separator: ", ")
        return LiveText.bar(stages.map { ("s-\($0.0)", Double($0.1)) }, of: whole, label: label)
    }

    private var pictures: HTML {
        let found = reading.pictures(Self.rows.pictures)
        let most = Double(found.first?.count ?? 1)
        let total = reading.requests.recent.count
        let rows = found.map { name, count -> HTML in
            """
            <tr><td class="what"><code>\(name)</code></td><td>\(LiveText.percent(count, of: total))</td>\
            <td class="stage">\(LiveText.bar([("s-decode", Double(count))], of: most))</td></tr>
            """
        }
        return HTML(rows).or("No request yet.")
    }

    private static let bad: HTML = " class=\"bad\""
}

extension LiveFragments {
    /// The tiers of the cache, with what they hold of their quotas.
    private var tiers: HTML {
        let named = (reading.stored ?? []).prefix(Self.rows.sources)
        let tiers: [(String, Int, Int, KeyPath<StoredUse.Source, TierUse>)] = [
            ("Memory", counts.memory.bytes + counts.raw.bytes, counts.shares.total, \.memory),
            ("Originals on disk", counts.disk.originals.bytes, counts.quotas.originals, \.originals),
            ("Variants on disk", counts.disk.variants.bytes, counts.quotas.variants, \.variants),
        ]
        return HTML(
            tiers.prefix(counts.quotas.hasDisk ? 3 : 1).map { name, bytes, quota, use -> HTML in
                var parts: [(name: String, size: Double)] = named.enumerated().map {
                    ("c\($0.offset)", Double($0.element[keyPath: use].bytes))
                }
                let rest = Double(bytes) - parts.reduce(0) { $0 + $1.1 }
                if rest > 0 { parts.append(("c-rest", rest)) }
                return """
                    <div class="tier"><div><span>\(name)</span><span>\(Printing.size(bytes)) <span class="muted">of \
                    \(Printing.size(quota)), \(LiveText.percent(bytes, of: quota))</span></span></div>\
                    \(LiveText.bar(parts, of: Double(max(quota, bytes))))</div>
                    """
            }
        )
    }

    /// What each source has stored.
    private var stored: HTML {
        guard let stored = reading.stored else { return HTML(escaping: "").or("Counting…") }
        let rows = stored.prefix(Self.rows.sources).enumerated().map { index, source -> HTML in
            let cells = [source.memory, source.originals, source.variants].map { use -> HTML in
                use.entries == 0
                    ? "<td class=\"muted\">–</td>"
                    : "<td>\(Printing.size(use.bytes)) <span class=\"muted\">\(LiveText.count(use.entries))</span></td>"
            }
            return "<tr><th scope=\"row\"><i class=\"c\(index)\"></i>\(source.name)</th>\(cells)</tr>"
        }
        let rest = stored.count - rows.count
        let more: HTML =
            rest > 0
            ? "<tr><td colspan=\"4\" class=\"muted\">and \(Printing.count(rest, "further source"))</td></tr>" : ""
        return HTML(rows + [more]).or("Nothing is stored.")
    }

    /// Remembered failures, each with a button that forgets those of its source.
    private var failures: HTML {
        let rows = reading.failures.map { failure -> HTML in
            let problem = Problem(failure.error)
            let next = failure.isBeingTried ? "now" : failure.secondsLeft == 0 ? "due" : "in \(failure.secondsLeft) s"
            let place = ShownTarget.original(source: failure.source, url: failure.url)
            let plan = failure.plan.map(LiveDocument.plan) ?? ""
            let clear = LiveForms.button(
                "forget",
                "Clear all of \(failure.source)",
                ["source": failure.source],
                key: "failure \(place) \(plan) \(failure.kind.rawValue)"
            )
            return """
                <tr><td class="what"><code>\(place)</code> \
                <span class="muted">\(plan)</span></td><td>\(failure.kind.rawValue)</td>\
                <td class="bad">\(Int(problem.status))</td><td class="what">\(problem.detail)</td>\
                <td>\(failure.failures)</td><td>\(next)</td>\
                <td>\(clear)</td></tr>
                """
        }
        let rest = reading.failureCount - rows.count
        let more: HTML =
            rest > 0
            ? "<tr><td colspan=\"7\" class=\"muted\">and \(Printing.count(rest, "further failure")): GET /negative</td></tr>"
            : ""
        return HTML(rows + [more]).or("No remembered failure.")
    }

    /// The jobs that fill the cache.
    private var warm: HTML {
        let rows = reading.warm.prefix(Self.rows.warm).map { report -> HTML in
            let job = report.job
            let cancel: HTML =
                job.state == .running
                ? LiveForms.button("cancel", "Cancel", ["id": "\(job.id)"], key: "warm-\(job.id)") : ""
            return """
                <tr><th scope="row">\(Int(job.id))</th><td>\("\(job.state)")</td>\
                <td><progress max="\(max(1, job.total))" value="\(job.finished)" aria-label="Job \(Int(job.id))"></progress></td>\
                <td>\(LiveText.count(job.finished)) of \(LiveText.count(job.total))</td>\
                <td\(job.failed > 0 ? Self.bad : "")>\(job.failed)</td><td>\(cancel)</td></tr>
                """
        }
        return HTML(rows).or("No job.")
    }

    /// The document must fit into the buffer of a stream.
    private static let mostSources = 40

    /// The sources, with buttons that stop and restart requests to their origins; first those that are stopped.
    private var sources: HTML {
        let stopped = reading.sources.filter { $0.state != .on }
        let sorted =
            reading.sources.count > Self.mostSources
            ? stopped + reading.sources.filter { $0.state == .on } : reading.sources
        let rest = max(0, sorted.count - Self.mostSources)
        let more: HTML =
            "<tr><td colspan=\"3\" class=\"muted\">and \(Printing.count(rest, "further source")): POST /sources/NAME/suspend</td></tr>"
        return HTML(
            sorted.prefix(Self.mostSources).map { source -> HTML in
                let actions =
                    source.state == .on ? [("suspend", "Suspend"), ("offline", "Offline")] : [("resume", "Resume")]
                let buttons = actions.map { action, name in
                    LiveForms.button(
                        "source",
                        name,
                        ["source": source.name, "action": action],
                        // The first button of a row keeps the focus when another one takes its place.
                        key: action == "offline" ? "\(source.name)-offline" : source.name,
                        label: "\(name) \(source.name)"
                    )
                }
                let style = source.state == .on ? "t-memory" : "t-error"
                return """
                    <tr><th scope="row">\(source.name)</th>\
                    <td><span class="tag \(style)">\(source.state.rawValue)</span></td>\
                    <td class="buttons">\(buttons)</td></tr>
                    """
            } + (rest > 0 ? [more] : [])
        )
    }
}

extension HTML {
    /// The rows of a table, or one that says why there are none.
    fileprivate func or(_ reason: String) -> HTML {
        text.isEmpty ? "<tr><td colspan=\"9\" class=\"muted\">\(reason)</td></tr>" : self
    }
}
