import OriginTransfer

extension StatisticsTable {
    /// Which origins are left alone, and how long the phases of requests to the others take.
    static let breakers: [Item] = [
        .counter(
            "transfers.dropped",
            Metric(
                "edgeprint_transfers_dropped_total",
                "Transfers refused or displaced because too many were waiting."
            ),
            Phrase(.transfers, .number("dropped"), omitsZero: true)
        ) { $0.transfers.dropped },
        .counter(
            "transfers.refused",
            Metric(
                "edgeprint_transfers_refused_total",
                "Transfers refused because they were expected to wait longer than overload.queue-time."
            ),
            Phrase(.transfers, .number("refused"), omitsZero: true)
        ) { $0.transfers.refusedByWait },
        .counter(
            "transfers.expired",
            Metric(
                "edgeprint_transfers_expired_total",
                "Transfers dropped from the queue after overload.queue-time, or because they could not end in time."
            ),
            Phrase(.transfers, .number("expired"), omitsZero: true)
        ) { $0.transfers.expired },
        .counter(
            "transfers.retries",
            Metric("edgeprint_transfer_retries_total", "Requests to origins repeated after a failure."),
            Phrase(.transfers, .number("retries"), omitsZero: true)
        ) { $0.transfers.retries },
        .counter(
            "transfers.resumptions",
            Metric(
                "edgeprint_transfer_resumptions_total",
                "Downloads continued with the rest after they were cut off."
            ),
            Phrase(.transfers, .number("resumed"), omitsZero: true)
        ) { $0.transfers.resumptions },
        .counter(
            "transfers.mirrored",
            Metric("edgeprint_transfer_mirrored_total", "Downloads answered by a mirror of the source."),
            Phrase(.transfers, .number("from mirrors"), omitsZero: true)
        ) { $0.transfers.mirrored },
        .gauge(
            "breakers.open",
            Metric("edgeprint_breakers", "Circuit breakers that are not closed, by state.", label: "state", is: "open"),
            Phrase(.transfers, .noun("open breaker"), omitsZero: true)
        ) { $0.breakers.count { $0.state == .open } },
        .gauge(
            "breakers.halfOpen",
            Metric(
                "edgeprint_breakers",
                "Circuit breakers that are not closed, by state.",
                label: "state",
                is: "half-open"
            )
        ) { $0.breakers.count { $0.state == .halfOpen } },
        .counter(
            "breakers.opened",
            Metric("edgeprint_breaker_openings_total", "Circuit breakers opened.")
        ) { $0.transfers.breakerOpenings },
        .counter(
            "breakers.refused",
            Metric("edgeprint_breaker_refusals_total", "Transfers refused by an open circuit breaker.")
        ) { $0.transfers.refusedByBreakers },
        .fact("breakers.hosts") { reading in
            .array(
                reading.breakers.map { breaker in
                    .object([
                        .init("source", .string(breaker.source)), .init("origin", .string(breaker.origin)),
                        .init("state", .string(breaker.state.rawValue)),
                        .init("seconds", .number(Int(clamping: breaker.secondsLeft))),
                    ])
                }
            )
        },
        .fact(
            "sources.suspended",
            Metric("edgeprint_sources_suspended", "Suspended sources.") { value in
                if case .array(let names) = value { Double(names.count) } else { nil }
            }
        ) { .array($0.suspended.map { .string($0) }) },
        .fact(
            "sources.offline",
            Metric("edgeprint_sources_offline", "Sources that serve only what is stored.") { value in
                if case .array(let names) = value { Double(names.count) } else { nil }
            }
        ) { .array($0.offline.map { .string($0) }) },
        .gauge(
            "sources.unverified",
            Metric("edgeprint_sources_unverified", "Sources whose certificates are not verified (tls.verify: false).")
        ) { $0.unverified },
        .durations(
            Metric("edgeprint_transfer_queue_seconds", "Time that transfers waited in the queue.")
        ) { $0.transfers.phases.queue },
        .durations(
            Metric("edgeprint_transfer_resolve_seconds", "Time to resolve a host's name, for new connections.")
        ) { $0.transfers.phases.resolve },
        .durations(
            Metric("edgeprint_transfer_connect_seconds", "Time to connect after the name was resolved.")
        ) { $0.transfers.phases.connect },
        .durations(
            Metric("edgeprint_transfer_tls_seconds", "Time of TLS handshakes with origins.")
        ) { $0.transfers.phases.secure },
        .durations(
            Metric(
                "edgeprint_transfer_first_byte_seconds",
                "Time from the start of a request to the first byte of the origin's response."
            )
        ) { $0.transfers.phases.firstByte },
        .durations(
            Metric(
                "edgeprint_transfer_duration_seconds",
                "Time from the start of a request to the last byte of the origin's response."
            )
        ) { $0.transfers.phases.total },
    ]
}
