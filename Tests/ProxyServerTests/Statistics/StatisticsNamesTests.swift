import TestSupport
import Testing

@testable import ProxyServer

/// Dashboards and alerts depend on these names, which must not change; new ones are added here.
@Suite(.timeLimit(.minutes(1)))
struct StatisticsNamesTests {
    /// Prometheus: name, type, and the values of the labels.
    private static let families = """
        edgeprint_accel_redirect_bytes_total counter
        edgeprint_accel_redirects_total counter
        edgeprint_access_log_dropped_total counter
        edgeprint_breaker_openings_total counter
        edgeprint_breaker_refusals_total counter
        edgeprint_breakers gauge state=half-open state=open
        edgeprint_brownouts_total counter rung=fast rung=larger rung=original rung=placeholder rung=stale
        edgeprint_brownouts_under_way gauge
        edgeprint_build_info gauge
        edgeprint_cache_bytes gauge tier=memory tier=originals tier=variants
        edgeprint_cache_entries gauge tier=memory tier=originals tier=variants
        edgeprint_cache_evictions_total counter
        edgeprint_cache_hits_total counter tier=memory tier=originals tier=variants
        edgeprint_cache_misses_total counter tier=memory tier=originals tier=variants
        edgeprint_cache_quota_bytes gauge tier=memory tier=originals tier=variants
        edgeprint_cache_tier_evictions_total counter tier=memory tier=originals tier=variants
        edgeprint_client_connections_refused_total counter
        edgeprint_clients gauge
        edgeprint_cluster_gaps_total counter reason=joined reason=lost reason=replaced reason=trimmed
        edgeprint_cluster_in_touch gauge
        edgeprint_cluster_leases_total counter result=expired result=failed result=found result=taken result=unavailable
        edgeprint_cluster_log_applied gauge
        edgeprint_cluster_log_errors_total counter
        edgeprint_cluster_log_head gauge
        edgeprint_cluster_log_recoveries_total counter
        edgeprint_cluster_nodes gauge
        edgeprint_cluster_nodes_left_out gauge
        edgeprint_cluster_purges_added_total counter
        edgeprint_cluster_purges_applied_total counter
        edgeprint_cluster_questions_total counter result=answered result=failed result=refused
        edgeprint_cluster_store_queue_bytes gauge
        edgeprint_cluster_store_reads_total counter result=damaged result=failed result=hit result=miss result=purged result=skipped result=slow
        edgeprint_cluster_store_suspended gauge
        edgeprint_cluster_store_writes_total counter result=dropped result=failed result=written
        edgeprint_cluster_store_written_bytes_total counter
        edgeprint_configuration_reloads_total counter result=applied result=refused
        edgeprint_connections gauge
        edgeprint_connections_accepted_total counter
        edgeprint_connections_limit gauge
        edgeprint_connections_refused_total counter
        edgeprint_control_group_limit_bytes gauge
        edgeprint_control_group_used_bytes gauge
        edgeprint_decode_duration_seconds histogram
        edgeprint_decodes_shared_total counter
        edgeprint_deferred_abandoned_total counter
        edgeprint_deferred_dropped_total counter
        edgeprint_deferred_failed_total counter
        edgeprint_deferred_larger_total counter
        edgeprint_deferred_queue gauge
        edgeprint_deferred_swapped_total counter
        edgeprint_deferred_total counter
        edgeprint_disk_adoptions_total counter
        edgeprint_disk_corruptions_total counter
        edgeprint_disk_drops_total counter
        edgeprint_disk_errors_total counter
        edgeprint_disk_expirations_total counter
        edgeprint_disk_free_bytes gauge
        edgeprint_disk_healthy gauge
        edgeprint_disk_links_total counter
        edgeprint_disk_min_free_bytes gauge
        edgeprint_disk_rebuilds_total counter
        edgeprint_disk_stores_total counter
        edgeprint_encode_duration_seconds histogram
        edgeprint_event_subscribers gauge
        edgeprint_events_lost_total counter
        edgeprint_excess_bytes_total counter
        edgeprint_fetch_duration_seconds histogram
        edgeprint_format_responses_total counter format=avif format=bmp format=gif format=heic format=ico format=jp2 format=jpeg \
        format=json format=jxl format=other format=pdf format=png format=svg format=text format=tiff format=webp
        edgeprint_loop_turn_seconds histogram
        edgeprint_memory_budget_bytes gauge
        edgeprint_memory_cache_allowed_bytes gauge
        edgeprint_memory_cache_steps_total counter
        edgeprint_memory_part_limit_bytes gauge part=bodies part=cache part=daemon part=decoded part=failures part=playground \
        part=shared part=workers part=writes
        edgeprint_memory_part_used_bytes gauge part=bodies part=cache part=daemon part=decoded part=failures part=playground \
        part=shared part=workers part=writes
        edgeprint_memory_stalled_ratio gauge
        edgeprint_memory_trims_total counter
        edgeprint_mezzanine_hits_total counter
        edgeprint_mezzanines_made_total counter
        edgeprint_negative_entries gauge
        edgeprint_negative_hits_total counter
        edgeprint_originals_under_way gauge
        edgeprint_purges_total counter
        edgeprint_quality_searches_total counter tries=1 tries=2 tries=3 tries=4 tries=5 tries=6 tries=7
        edgeprint_queue_duration_seconds histogram
        edgeprint_raw_bytes gauge
        edgeprint_raw_entries gauge
        edgeprint_raw_evictions_total counter
        edgeprint_raw_hits_total counter
        edgeprint_raw_misses_total counter
        edgeprint_raw_quota_bytes gauge
        edgeprint_recompression_saved_bytes_total counter
        edgeprint_recompressions_total counter result=abandoned result=dropped result=failed result=larger result=swapped
        edgeprint_request_duration_seconds histogram
        edgeprint_requests_in_flight gauge
        edgeprint_requests_total counter result=brownout result=collapsed result=disk result=error result=fallback result=memory \
        result=miss result=negative result=original result=other result=owner result=placeholder result=refused result=revalidated result=shared result=stale
        edgeprint_resident_bytes gauge
        edgeprint_response_bytes_total counter
        edgeprint_responses_total counter status=1xx status=2xx status=3xx status=4xx status=5xx
        edgeprint_result_duration_seconds histogram result=brownout result=collapsed result=disk result=error result=fallback result=memory \
        result=miss result=negative result=original result=other result=owner result=placeholder result=refused result=revalidated result=shared result=stale
        edgeprint_saved_bytes_total counter
        edgeprint_shed_total counter reason=client reason=overload
        edgeprint_slow_misses_under_way gauge
        edgeprint_smallest_total counter
        edgeprint_source_duration_seconds histogram source=fetch source=files source=photos
        edgeprint_source_requests_total counter result=brownout result=collapsed result=disk result=error result=fallback result=memory \
        result=miss result=negative result=original result=other result=owner result=placeholder result=refused result=revalidated result=shared result=stale \
        source=fetch source=files source=photos
        edgeprint_source_response_bytes_total counter source=fetch source=files source=photos
        edgeprint_source_saved_bytes_total counter source=fetch source=files source=photos
        edgeprint_sources_offline gauge
        edgeprint_sources_suspended gauge
        edgeprint_sources_unverified gauge
        edgeprint_store_duration_seconds histogram
        edgeprint_trace_export_retries_total counter
        edgeprint_trace_queue_spans gauge
        edgeprint_trace_spans_dropped_total counter reason=export reason=queue reason=rejected
        edgeprint_trace_spans_exported_total counter
        edgeprint_trace_spans_total counter
        edgeprint_transfer_bytes_total counter
        edgeprint_transfer_connect_seconds histogram
        edgeprint_transfer_connections_total counter
        edgeprint_transfer_duration_seconds histogram
        edgeprint_transfer_first_byte_seconds histogram
        edgeprint_transfer_mirrored_total counter
        edgeprint_transfer_outcomes_total counter outcome=cancelled outcome=circuit-open outcome=content-refused outcome=fetched \
        outcome=not-modified outcome=overloaded outcome=protocol outcome=refused outcome=server-error outcome=status outcome=suspended \
        outcome=timeout outcome=too-large outcome=unreachable
        edgeprint_transfer_queue_seconds histogram
        edgeprint_transfer_resolve_seconds histogram
        edgeprint_transfer_resumptions_total counter
        edgeprint_transfer_retries_total counter
        edgeprint_transfer_reuses_total counter
        edgeprint_transfer_tls_seconds histogram
        edgeprint_transfers_active gauge
        edgeprint_transfers_dropped_total counter
        edgeprint_transfers_expired_total counter
        edgeprint_transfers_refused_total counter
        edgeprint_transfers_total counter
        edgeprint_transfers_waiting gauge
        edgeprint_transform_abandoned_seconds_total counter
        edgeprint_transform_accounts gauge
        edgeprint_transform_busy_seconds_total counter
        edgeprint_transform_decoder_crashes_total counter
        edgeprint_transform_drops_total counter
        edgeprint_transform_duration_seconds histogram
        edgeprint_transform_filter_kills_total counter
        edgeprint_transform_overruns_total counter
        edgeprint_transform_predicted_wait_seconds gauge
        edgeprint_transform_queue gauge
        edgeprint_transform_queue_seconds gauge
        edgeprint_transform_refusals_total counter
        edgeprint_transform_retries_total counter
        edgeprint_transform_timeouts_total counter
        edgeprint_transforms_total counter
        edgeprint_variants_resolved_total counter
        edgeprint_variants_under_way gauge
        edgeprint_warm_jobs gauge
        edgeprint_warm_targets_total counter result=done result=failed result=skipped
        edgeprint_warm_waiting gauge
        edgeprint_worker_error_replacements_total counter
        edgeprint_worker_landlock_version gauge
        edgeprint_worker_resident_bytes gauge
        edgeprint_worker_restarts_total counter
        edgeprint_worker_retirements_total counter
        edgeprint_worker_sandbox gauge \
        layer=ipc-namespace layer=landlock layer=landlock-scopes layer=landlock-tcp layer=mount-namespace layer=network-namespace \
        layer=no-new-privileges layer=seccomp layer=undumpable-daemon layer=user-namespace layer=uts-namespace
        edgeprint_worker_spares gauge
        edgeprint_worker_starts_total counter
        edgeprint_worker_swaps_total counter
        edgeprint_worker_unlisted_calls gauge
        edgeprint_workers gauge
        edgeprint_workers_busy gauge
        edgeprint_workers_decoded_bytes gauge
        edgeprint_workers_ready gauge
        process_cpu_seconds_total counter
        process_max_fds gauge
        process_open_fds gauge
        process_resident_memory_bytes gauge
        process_start_time_seconds gauge
        process_threads gauge
        process_virtual_memory_bytes gauge
        """

    /// `/stats`: an object ("-" is the root) and its members that are not objects with fixed members themselves.
    private static let members = """
        -: coders hitRatio ready sites uptime version
        breakers: halfOpen hosts open opened refused
        brownouts: behind
        brownouts.answers: fast larger original placeholder stale
        budget: bytes resident trims
        budget.limits: bodies cache daemon decoded failures playground shared workers writes
        budget.used: bodies cache daemon decoded failures playground shared workers writes
        clients: count largest
        cluster: applied errors head inTouch leftOut nodes purgesAdded purgesApplied recoveries
        cluster.gaps: joined lost replaced trimmed
        cluster.leases: expired failed found taken unavailable
        cluster.owners: answered failed refused
        cluster.store: bytesWritten queuedBytes suspended
        cluster.store.reads: damaged failed hit miss purged skipped slow
        cluster.store.writes: dropped failed written
        connections: accepted limit open timedOut turnedAway turnedAwayOfClients
        disk: drops errors free health originalDrops queuedBytes queuedWrites stores variantDrops
        disk.originals: bytes entries evictions hits misses quota
        disk.variants: bytes entries evictions hits misses quota
        events: lost subscribers
        flights: originals variants
        memory: bytes entries evictions hits misses quota
        memoryPressure: allowed groupLimit groupUsed stalled steps
        placeholders: behind
        raw: bytes entries evictions hits misses quota
        requests: bytes excessBytes inFlight redirectedBytes redirects savedBytes total
        requests.formats: avif bmp gif heic ico jp2 jpeg json jxl other pdf png svg text tiff webp
        requests.results: brownout collapsed disk error fallback memory miss negative original other owner placeholder refused revalidated shared stale
        requests.shed: client overload
        requests.statuses: 1xx 2xx 3xx 4xx 5xx
        sources: offline suspended unverified
        tracing: exported recorded retries waiting
        tracing.dropped: export queue rejected
        transfers: active bytes dropped expired mirrored newConnections outcomes refused requests resumptions retries reusedConnections waiting
        warm: jobs waiting
        warm.targets: done failed skipped
        workers: accounts busy decodedBytes decoderCrashes dropped errorReplacements filterKills jobs overruns predictedWait queued \
        queuedMilliseconds ready refused residentBytes restarts retirements retries slots spares starts swaps timeouts
        workers.sandbox: calls known landlock mode
        workers.sandbox.layers: ipc-namespace landlock landlock-scopes landlock-tcp mount-namespace network-namespace no-new-privileges seccomp undumpable-daemon user-namespace uts-namespace
        """

    /// The members that only some kernels support.
    private static let optional: Set<String> = [
        "edgeprint_memory_stalled_ratio gauge", "edgeprint_control_group_used_bytes gauge",
        "edgeprint_control_group_limit_bytes gauge",
    ]

    private func rig() throws -> EndToEndRig {
        // A raw source and a cluster, so that there is no null in its place.
        try EndToEndRig(
            LonelyNode.yaml,
            sources: "\n  files: { url: \"http://127.0.0.1:9/\", raw: true, allow-private: true }"
        ) {
            _,
            connection in connection.respond("404 Not Found", text: "no")
        }
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test func `Prometheus families, types and labels are stable`() throws {
        let rig = try rig()
        let text = try RawHTTPClient(port: rig.daemon.admin).get("/metrics").text
        var found: [String] = []
        for line in lines(text) {
            if line.hasPrefix("# TYPE ") {
                found.append(String(line.dropFirst(7)))
            } else if !line.hasPrefix("#"), !line.hasPrefix("edgeprint_build_info") {
                for label in line.matches(of: /([a-z]+)="([^"]+)"/) where label.1 != "le" {
                    found[found.count - 1] += " \(label.1)=\(label.2)"
                }
            }
        }
        let sorted = Set(
            found.map { family in
                let parts = family.split(separator: " ")
                return (parts.prefix(2) + Set(parts.dropFirst(2)).sorted()).joined(separator: " ")
            }
        )
        let expected = Set(lines(Self.families))
        #expect(sorted.subtracting(expected) == [])
        #expect(expected.subtracting(sorted).subtracting(Self.optional) == [])
    }

    @Test func `the JSON members are stable`() throws {
        let rig = try rig()
        let text = try RawHTTPClient(port: rig.daemon.admin, timeoutMilliseconds: 30_000).get("/stats").text
        var found: Set<String> = []
        func walk(_ value: JSONValue, _ path: String) {
            guard case .object(let members) = value, !members.isEmpty, path != "-.coders" else {
                found.insert(path)
                return
            }
            for member in members { walk(member.value, "\(path).\(member.name)") }
        }
        walk(try #require(JSONValue(parsing: text)), "-")
        let expected = Set(
            lines(Self.members).flatMap { line in
                let parts = line.split(separator: " ")
                let parent = parts[0] == "-:" ? "-" : "-.\(parts[0].dropLast())"
                return parts.dropFirst().map { "\(parent).\($0)" }
            }
        )
        #expect(found.symmetricDifference(expected) == [])
    }

    @Test func `reports every count in a valid form`() throws {
        let rig = try rig()
        #expect(try rig.get("/photos/none.png").status == 404)
        try rig.waitUntil("edgeprint_request_duration_seconds_count", is: 1)
        try rig.waitUntil("edgeprint_requests_in_flight", is: 0)
        let text = try RawHTTPClient(port: rig.daemon.admin).get("/metrics").text
        for expected in [
            "edgeprint_responses_total{status=\"4xx\"} 1", "edgeprint_requests_total{result=\"disk\"} 0",
            "edgeprint_requests_in_flight 0", "edgeprint_request_duration_seconds_count 1",
            "edgeprint_request_duration_seconds_bucket{le=\"+Inf\"} 1", "edgeprint_connections_accepted_total 1",
            "edgeprint_disk_healthy 1",
        ] {
            #expect(lines(text).contains(expected), "\(expected)")
        }
        #expect(text.hasSuffix("\n"))
        var families: Set<String> = []
        for line in lines(text) {
            if line.hasPrefix("# HELP ") {
                #expect(families.insert(String(line.split(separator: " ")[2])).inserted, "\(line)")
                #expect(line.hasSuffix("."), "\(line)")
            }
            guard !line.hasPrefix("#") else { continue }
            #expect(
                line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [0-9.e+-]+/) != nil,
                "\(line)"
            )
        }
    }

    @Test func `every path and every metric is declared once`() {
        var seen: Set<String> = []
        for statistic in StatisticsTable.all {
            if let path = statistic.path { #expect(seen.insert(path).inserted, "\(path)") }
            if let metric = statistic.metric {
                #expect(seen.insert("\(metric.name) \(metric.labelValue ?? "")").inserted, "\(metric.name)")
                #expect((statistic.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
            }
            #expect(statistic.path != nil || statistic.phrases.isEmpty)
        }
    }
}
