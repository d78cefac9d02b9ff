import HTTPKit
import ImagePipeline
import LinuxSystem
import OriginTransfer

extension StatisticsTable {
    /// Requests to origins.
    static let transfers: [Item] = [
        .counter(
            "transfers.requests",
            Metric("edgeprint_transfers_total", "Requests sent to origins, redirects included."),
            Phrase(.transfers, .number(), rate: true)
        ) { $0.transfers.requests },
        .gauge(
            "transfers.active",
            Metric("edgeprint_transfers_active", "Transfers in progress."),
            Phrase(.transfers, .number("active"))
        ) { $0.transfers.active },
        .gauge(
            "transfers.waiting",
            Metric("edgeprint_transfers_waiting", "Transfers waiting for a connection."),
            Phrase(.transfers, .number("waiting"))
        ) { $0.transfers.waiting },
        .counter(
            "transfers.bytes",
            Metric("edgeprint_transfer_bytes_total", "Bytes of response bodies received from origins."),
            Phrase(.transfers, .size(), rate: true)
        ) { $0.transfers.bytes },
        .counter(
            "transfers.newConnections",
            Metric("edgeprint_transfer_connections_total", "Connections opened to origins."),
            Phrase(.transfers, .noun("connection"))
        ) { $0.transfers.newConnections },
        .counter(
            "transfers.reusedConnections",
            Metric("edgeprint_transfer_reuses_total", "Requests sent to origins over a kept connection."),
            Phrase(.transfers, .number("reuses"))
        ) { $0.transfers.reusedConnections },
        .counters("transfers.outcomes") { reading in
            reading.transfers.outcomes.map { ($0.key.rawValue, $0.value) }
        },
    ]

    /// The transform workers.
    static let workers: [Item] =
        [
            .gauge("workers.slots", Metric("edgeprint_workers", "Worker slots.")) { $0.workers.workers.count },
            .gauge(
                "workers.ready",
                Metric("edgeprint_workers_ready", "Workers ready."),
                Phrase(.workers, .part(of: "workers.slots", "ready"))
            ) { $0.workers.ready },
            .gauge(
                "workers.busy",
                Metric("edgeprint_workers_busy", "Workers running a job."),
                Phrase(.workers, .number("busy"))
            ) { $0.workers.workers.count { $0.isBusy } },
            .gauge(
                "workers.queued",
                Metric("edgeprint_transform_queue", "Jobs waiting for a worker."),
                Phrase(.workers, .number("queued"))
            ) { $0.workers.queued },
        ] + queue + [
            .gauge(
                "workers.decodedBytes",
                Metric(
                    "edgeprint_workers_decoded_bytes",
                    "Upper bound of the bytes of decoded pixels of all running jobs."
                )
            ) { $0.workers.decodedBytes },
            .counter(
                "workers.jobs",
                Metric("edgeprint_transforms_total", "Jobs that workers completed, failures included."),
                Phrase(.workers, .noun("job"), rate: true)
            ) { $0.workers.jobs },
            .total(
                Metric("edgeprint_transform_busy_seconds_total", "Time that workers spent on jobs that have ended.")
            ) {
                Double($0.workers.busy) / 1e9
            },
            .total(
                Metric(
                    "edgeprint_transform_abandoned_seconds_total",
                    "Time that workers spent on jobs after all clients that waited for them had left."
                )
            ) { Double($0.workers.abandoned) / 1e9 },
            .gauge(
                "workers.residentBytes",
                Metric("edgeprint_worker_resident_bytes", "Resident memory of all workers."),
                Phrase(.workers, .size("resident"))
            ) { reading in reading.workers.workers.reduce(0) { $0 + $1.residentBytes } },
            .counter("workers.starts", Metric("edgeprint_worker_starts_total", "Worker processes started.")) {
                $0.workers.starts
            },
            .counter(
                "workers.restarts",
                Metric(
                    "edgeprint_worker_restarts_total",
                    "Workers replaced because they exited, were killed or violated the protocol."
                ),
                Phrase(.workers, .noun("restart"), omitsZero: true)
            ) { $0.workers.restarts },
            .counter(
                "workers.retirements",
                Metric("edgeprint_worker_retirements_total", "Workers replaced because of their age or memory use.")
            ) { $0.workers.retirements },
            .counter(
                "workers.decoderCrashes",
                Metric("edgeprint_transform_decoder_crashes_total", "Jobs whose image crashed the worker."),
                Phrase(.workers, .noun("crash", plural: "crashes"), omitsZero: true)
            ) { $0.workers.decoderCrashes },
        ] + sandbox + [
            .counter(
                "workers.timeouts",
                Metric("edgeprint_transform_timeouts_total", "Jobs whose worker was killed at the deadline.")
            ) { $0.workers.timeouts },
            .counter(
                "workers.retries",
                Metric("edgeprint_transform_retries_total", "Jobs retried after their worker was lost.")
            ) { $0.workers.retries },
        ]

    /// The queue of the transform workers; milliseconds in the JSON, seconds in Prometheus.
    private static let queue: [Item] = [
        .fact(
            "workers.queuedMilliseconds",
            Metric("edgeprint_transform_queue_seconds", "Expected duration of the jobs waiting for a worker.") {
                value in
                value.double.map { $0 / 1_000 }
            }
        ) { .number($0.workers.queuedMilliseconds) },
        .fact(
            "workers.predictedWait",
            Metric("edgeprint_transform_predicted_wait_seconds", "Expected wait of a new client's next job.") { value in
                value.double.map { $0 / 1_000 }
            }
        ) { .number($0.workers.predictedWait) },
        .gauge(
            "workers.accounts",
            Metric("edgeprint_transform_accounts", "Clients with jobs waiting for a worker.")
        ) { $0.workers.waitingAccounts },
        .counter(
            "workers.refused",
            Metric(
                "edgeprint_transform_refusals_total",
                "Jobs refused because they would have waited for too long, or too many waited."
            ),
            Phrase(.workers, .number("refused"), omitsZero: true)
        ) { $0.workers.refused },
        .counter(
            "workers.dropped",
            Metric("edgeprint_transform_drops_total", "Jobs given up while they waited for a worker."),
            Phrase(.workers, .number("dropped"), omitsZero: true)
        ) { $0.workers.dropped },
        .counter(
            "workers.overruns",
            Metric(
                "edgeprint_transform_overruns_total",
                "Jobs ended and retried because they took four times as long as expected while others waited."
            )
        ) { $0.workers.overruns },
        .counter(
            "workers.swaps",
            Metric("edgeprint_worker_swaps_total", "Workers replaced because the next job had another trust domain.")
        ) { $0.workers.swaps },
        .counter(
            "workers.errorReplacements",
            Metric("edgeprint_worker_error_replacements_total", "Workers replaced because a decoder rejected an image.")
        ) { $0.workers.errorReplacements },
        .gauge("workers.spares", Metric("edgeprint_worker_spares", "Workers ready to replace another one.")) {
            $0.workers.spares
        },
    ]

    /// Client connections.
    static let connections: [Item] = [
        .gauge(
            "connections.open",
            Metric("edgeprint_connections", "Open client connections."),
            Phrase(.connections, .part(of: "connections.limit", "open"))
        ) { $0.server.openConnections },
        .gauge(
            "connections.limit",
            Metric("edgeprint_connections_limit", "Maximum number of client connections (limits.connections).")
        ) { $0.connectionLimit },
        .counter(
            "connections.accepted",
            Metric("edgeprint_connections_accepted_total", "Client connections accepted."),
            Phrase(.connections, .number("accepted"), rate: true)
        ) { $0.server.accepted },
        .counter(
            "connections.turnedAway",
            Metric(
                "edgeprint_connections_refused_total",
                "Connections refused because too many were open, those of single clients included."
            ),
            Phrase(.connections, .number("refused"), omitsZero: true)
        ) { $0.server.turnedAway },
        .counter(
            "connections.turnedAwayOfClients",
            Metric(
                "edgeprint_client_connections_refused_total",
                "Connections refused because their client had clients.connections open."
            )
        ) { $0.server.turnedAwayOfClients },
        .gauge(
            "clients.count",
            Metric("edgeprint_clients", "Clients with open connections, downloads or transforms.")
        ) { $0.clientCount },
        .fact("clients.largest") { reading in
            .array(
                reading.clients.map { account, use in
                    .object([
                        .init("client", .string(account)), .init("connections", .number(use.connections)),
                        .init("downloads", .number(use.downloads)),
                        .init("waitingDownloads", .number(use.waitingDownloads)),
                        .init("downloadMilliseconds", .number(Int(clamping: use.downloadMilliseconds))),
                        .init("transforms", .number(use.transforms)),
                        .init("waitingTransforms", .number(use.waitingTransforms)),
                        .init("transformMilliseconds", .number(Int(clamping: use.transformMilliseconds))),
                    ])
                }
            )
        },
        .counter("connections.timedOut") { $0.server.timedOut },
    ]

    /// The pipeline's work in progress, and the work that it saved.
    static let pipeline: [Item] = [
        .gauge("flights.variants", Metric("edgeprint_variants_under_way", "Variants being made.")) {
            $0.variantsUnderWay
        },
        .gauge("flights.originals", Metric("edgeprint_originals_under_way", "Originals being fetched.")) {
            $0.originalsUnderWay
        },
        .counter(nil, Metric("edgeprint_mezzanines_made_total", "Reduced copies of originals stored.")) {
            $0.mezzaninesMade
        },
        .counter(
            nil,
            Metric("edgeprint_mezzanine_hits_total", "Variants made from a reduced copy instead of the original.")
        ) { $0.mezzaninesUsed },
        .counter(
            nil,
            Metric("edgeprint_decodes_shared_total", "Variants made from a decode shared with another variant.")
        ) { $0.decodesShared },
        .counter(
            nil,
            Metric(
                "edgeprint_variants_resolved_total",
                "Requests answered by the result of another request that comes to the same."
            )
        ) { $0.variantsResolved },
        .counter(
            nil,
            Metric("edgeprint_deferred_total", "WebP images served until their AVIF is encoded.")
        ) { $0.deferrals.made },
        .counter(nil, Metric("edgeprint_deferred_swapped_total", "Deferred AVIFs that replaced their WebP.")) {
            $0.deferrals[.swapped]
        },
        .counter(nil, Metric("edgeprint_deferred_larger_total", "Deferred AVIFs no smaller than their WebP.")) {
            $0.deferrals[.larger]
        },
        .counter(nil, Metric("edgeprint_deferred_failed_total", "Deferred AVIFs that could not be encoded.")) {
            $0.deferrals[.failed]
        },
        .counter(
            nil,
            Metric("edgeprint_deferred_abandoned_total", "Deferred AVIFs abandoned until the next request.")
        ) { $0.deferrals[.abandoned] },
        .counter(
            nil,
            Metric("edgeprint_deferred_dropped_total", "Deferred AVIFs not queued because the queue was full.")
        ) { $0.deferrals[.dropped] },
        .gauge(nil, Metric("edgeprint_deferred_queue", "Deferred AVIFs waiting.")) { $0.deferredWaiting },
        .counters(
            nil,
            Metric(
                "edgeprint_recompressions_total",
                "Images encoded again in the background, and originals transcoded, by result.",
                label: "result"
            )
        ) { reading in
            DeferredStatistics.End.allCases.map { ("\($0)", Int(clamping: reading.recompressions[$0])) }
        },
        .counter(
            nil,
            Metric(
                "edgeprint_recompression_saved_bytes_total",
                "Bytes by which images became smaller when encoded again or transcoded."
            )
        ) { $0.recompressions.savedBytes },
        .counters(
            nil,
            Metric(
                "edgeprint_quality_searches_total",
                "Quality searches completed (q=auto), by the number of encodes tried.",
                label: "tries"
            )
        ) { reading in
            reading.encodings.searches.enumerated().dropFirst().map { ("\($0.offset)", Int(clamping: $0.element)) }
        },
        .counter(nil, Metric("edgeprint_smallest_total", "Images whose format was chosen by size.")) {
            $0.encodings.smallest
        },
        .gauge(nil, Metric("edgeprint_negative_entries", "Cached failures.")) { $0.failures.entries },
        .counter(nil, Metric("edgeprint_negative_hits_total", "Requests answered with a cached failure.")) {
            $0.failures.hits
        },
    ]

    /// The supported formats; `null` if no worker could be queried.
    static let coders: [Item] = [
        .fact(
            "coders",
            nil,
            Phrase(.coders, .written { $0.now["coders"].flatMap(CoderList.readable) }),
            and: Phrase(.writes, .written { $0.now["coders"].flatMap(CoderList.writable) })
        ) { $0.coders?.json ?? .null }
    ]
}
