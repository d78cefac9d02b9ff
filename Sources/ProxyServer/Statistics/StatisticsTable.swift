import ImagePipeline

/// All statistics of the daemon, each declared once, in the order of the JSON of `/stats` and of the lines of
/// `edgeprint stats`.
///
/// To add one, count the event where it happens, read the count in `StatisticsReader` if it does not do so yet, and add an
/// entry here. Dashboards depend on the names of metrics and JSON members, so they must not change.
enum StatisticsTable {
    typealias Item = Statistic<StatisticsReading>

    static let all: [Item] =
        daemon + requests + memoryBudget + caches + disk + transfers + breakers + workers + connections + pipeline
        + activity + warm + tracing + cluster + sites + coders + traffic + sources + space + process

    private static let daemon: [Item] = [
        .fact("version", nil, Phrase(.edgeprint, .written { $0.now["version"]?.words })) { .string($0.version) },
        .counter(
            "uptime",
            nil,
            Phrase(.edgeprint, .written { change in change.number("uptime").map { "up \(Printing.duration($0))" } })
        ) { $0.uptime },
        .fact(
            "ready",
            nil,
            Phrase(.edgeprint, .written { $0.now["ready"] == .bool(false) ? "not ready" : nil })
        ) { .bool($0.isReady) },
        .counters(
            nil,
            Metric(
                "edgeprint_configuration_reloads_total",
                "Configuration reloads (SIGHUP), by result.",
                label: "result"
            )
        ) { $0.metrics.reloads.values },
        .counter(nil, Metric("edgeprint_purges_total", "Purges carried out.")) { $0.metrics.purges.value },
        .counter(
            nil,
            Metric(
                "edgeprint_access_log_dropped_total",
                "Access-log lines dropped because they exceeded the rate limit or the reader was too slow."
            )
        ) { $0.droppedLogLines },
    ]

    private static let requests: [Item] = [
        .counter("requests.total", nil, Phrase(.requests, .number(), rate: true)) { reading in
            reading.metrics.requests.values.reduce(0) { $0 + $1.1 }
        },
        // The share of image requests that needed no origin, 0–1; `null` before the first.
        .fact(
            "hitRatio",
            nil,
            Phrase(
                .requests,
                .written { change in
                    RequestResult.hitRatio { change.growth("requests.results.\($0.value)") }
                        .map { "\(Printing.rounded($0 * 100)) % without origin" }
                }
            )
        ) { reading in
            RequestResult.hitRatio { Int(clamping: reading.metrics.requests.value($0)) }
                .map { .decimal(($0 * 10_000).rounded() / 10_000) } ?? .null
        },
        .gauge(
            "requests.inFlight",
            Metric("edgeprint_requests_in_flight", "Requests in progress."),
            Phrase(.requests, .number("in progress"))
        ) { $0.metrics.inFlight.value },
        .counter(
            "requests.bytes",
            Metric("edgeprint_response_bytes_total", "Bytes sent to clients, headers included."),
            Phrase(.requests, .size("sent"), rate: true)
        ) { $0.metrics.responseBytes.value },
        .counters(
            "requests.results",
            Metric("edgeprint_requests_total", "Requests answered, by result.", label: "result"),
            Phrase(.results, .written(results))
        ) { $0.metrics.requests.values },
        .counters(
            "requests.statuses",
            Metric("edgeprint_responses_total", "Responses, by status class.", label: "status")
        ) { $0.metrics.responses.values },
        .durations(
            Metric(
                "edgeprint_request_duration_seconds",
                "Time from the end of a request to the last byte of its response."
            )
        ) { $0.metrics.requestDuration },
        .durations(Metric("edgeprint_fetch_duration_seconds", "Duration of transfers from origins.")) {
            $0.metrics.stages.fetch.durations
        },
        .durations(Metric("edgeprint_queue_duration_seconds", "Time that transforms waited for a worker.")) {
            $0.metrics.stages.queue.durations
        },
        .durations(Metric("edgeprint_decode_duration_seconds", "Time that workers took to open a source.")) {
            $0.metrics.stages.decode.durations
        },
        .durations(Metric("edgeprint_transform_duration_seconds", "Time that workers spent on a plan's steps.")) {
            $0.metrics.stages.transform.durations
        },
        .durations(
            Metric("edgeprint_encode_duration_seconds", "Time that workers spent decoding on demand and encoding.")
        ) { $0.metrics.stages.encode.durations },
        .durations(
            Metric("edgeprint_store_duration_seconds", "Time to hand results to the caches, without writing to disk.")
        ) { $0.metrics.stages.store.durations },
    ]

    private static func results(_ change: StatisticsChange) -> String? {
        guard change.now["requests.results"] != nil else { return nil }
        let counts = RequestResult.allCases.compactMap { result -> String? in
            let path = "requests.results.\(result.value)"
            guard let count = change.number(path), count > 0 else { return nil }
            return "\(result.value) \(count)\(change.rate(path))"
        }
        return counts.isEmpty ? "none yet" : counts.joined(separator: ", ")
    }
}
