import HTTPKit
import OriginTransfer

extension StatisticsTable {
    /// Responses by result, format and source, what was refused, and how long event loops were busy.
    static let traffic: [Item] = [
        .labelledDurations(
            Metric(
                "edgeprint_result_duration_seconds",
                "Time from the end of a request to the last byte of its response, by result.",
                label: "result"
            )
        ) { reading in
            RequestResult.allCases.map { ($0.value, reading.metrics.duration(of: $0)) }
        },
        .counters(
            "requests.formats",
            Metric("edgeprint_format_responses_total", "Responses with an image, by its format.", label: "format")
        ) { $0.metrics.formats.values },
        .counter(
            "requests.savedBytes",
            Metric("edgeprint_saved_bytes_total", "Bytes by which images sent were smaller than their originals."),
            Phrase(.requests, .size("saved"), omitsZero: true)
        ) { $0.metrics.savedBytes.value },
        .counter(
            "requests.excessBytes",
            Metric("edgeprint_excess_bytes_total", "Bytes by which images sent were larger than their originals.")
        ) { $0.metrics.excessBytes.value },
        .counter(
            "requests.redirects",
            Metric(
                "edgeprint_accel_redirects_total",
                "Responses whose content nginx sends from the cache folder (answers.accel-redirect)."
            )
        ) { $0.metrics.redirects.value },
        .counter(
            "requests.redirectedBytes",
            Metric("edgeprint_accel_redirect_bytes_total", "Bytes of content that nginx sends from the cache folder.")
        ) { $0.metrics.redirectedBytes.value },
        .counters(
            "requests.shed",
            Metric(
                "edgeprint_shed_total",
                "Requests refused to protect others: overload (503), or limits of one client or key (429).",
                label: "reason"
            )
        ) { $0.metrics.shed.values },
        .durations(
            Metric("edgeprint_loop_turn_seconds", "Time of event-loop turns, in which other connections wait.")
        ) { $0.server.turns },
    ]

    /// Requests by source: the first `metrics.sources` of them, and `other` for the rest.
    static let sources: [Item] = [
        .crossCounters(
            Metric("edgeprint_source_requests_total", "Requests, by source and result.", label: "source", "result")
        ) { reading in
            reading.sources.map { source in
                (source.name, zip(RequestResult.allCases, source.results).map { ($0.value, Int(clamping: $1)) })
            }
        },
        .labelledDurations(
            Metric(
                "edgeprint_source_duration_seconds",
                "Time from the end of a request to the last byte of its response, by source.",
                label: "source"
            )
        ) { reading in reading.sources.map { ($0.name, $0.durations) } },
        .counters(
            nil,
            Metric("edgeprint_source_response_bytes_total", "Bytes sent, headers included, by source.", label: "source")
        ) { reading in reading.sources.map { ($0.name, Int(clamping: $0.bytes)) } },
        .counters(
            nil,
            Metric(
                "edgeprint_source_saved_bytes_total",
                "Bytes by which images sent were smaller than their originals, by source.",
                label: "source"
            )
        ) { reading in reading.sources.map { ($0.name, Int(clamping: $0.savedBytes)) } },
        .counters(
            nil,
            Metric(
                "edgeprint_transfer_outcomes_total",
                "Loads from origins that have ended, by outcome.",
                label: "outcome"
            )
        ) { reading in
            TransferStatistics.Outcome.allCases.map { ($0.rawValue, reading.transfers.outcomes[$0] ?? 0) }
        },
    ]

    /// The space that the disk cache shares with others.
    static let space: [Item] = [
        .fact(
            "disk.free",
            Metric("edgeprint_disk_free_bytes", "Bytes free on the file system of the disk cache.")
        ) { $0.freeSpace.map(JSONValue.number) ?? .null },
        .gauge(
            nil,
            Metric("edgeprint_disk_min_free_bytes", "Bytes that the disk cache leaves free (cache.min-free).")
        ) { $0.quotas.minimumFree },
    ]
}
