import HTTPKit
import ImagePipeline
import OriginTransfer

extension Metrics {
    /// Adds what the parts know of themselves, read when somebody asks.
    func read(workers: WorkerPool) {
        read { text in
            let now = workers.statistics
            text.counter("edgeprint_transforms_total", "Jobs that workers answered.", UInt64(now.jobs))
            text.counter("edgeprint_transform_deadly_total", "Jobs whose picture ended its worker.", UInt64(now.deadly))
            text.counter("edgeprint_transform_timeouts_total", "Jobs killed at the deadline.", UInt64(now.timeouts))
            text.counter("edgeprint_transform_retries_total", "Jobs run again on a fresh worker.", UInt64(now.retries))
            text.counter("edgeprint_worker_starts_total", "Worker processes started.", UInt64(now.starts))
            text.counter("edgeprint_worker_restarts_total", "Workers lost and replaced.", UInt64(now.restarts))
            text.counter(
                "edgeprint_worker_retirements_total",
                "Workers replaced for age or size.",
                UInt64(now.retirements)
            )
            text.gauge("edgeprint_transform_queue", "Jobs that wait for a worker.", Double(now.queued))
            text.gauge("edgeprint_workers", "Worker slots.", Double(now.workers.count))
            text.gauge("edgeprint_workers_ready", "Workers that live and have greeted.", Double(now.ready))
            text.gauge("edgeprint_workers_busy", "Workers on a job.", Double(now.workers.count { $0.isBusy }))
            let resident = now.workers.reduce(0) { $0 + $1.residentBytes }
            text.gauge("edgeprint_worker_resident_bytes", "Resident memory of all workers.", Double(resident))
        }
    }

    /// Adds the transfers.
    func read(transfers: TransferEngine) {
        read { text in
            let now = transfers.statistics
            text.counter("edgeprint_transfers_total", "Requests to origins, redirects included.", UInt64(now.requests))
            text.counter("edgeprint_transfer_bytes_total", "Bytes of bodies from origins.", UInt64(now.bytes))
            text.counter("edgeprint_transfer_connections_total", "Connections made.", UInt64(now.newConnections))
            text.counter(
                "edgeprint_transfer_reuses_total",
                "Requests on kept connections.",
                UInt64(now.reusedConnections)
            )
            text.gauge("edgeprint_transfers_active", "Transfers on the wire.", Double(now.active))
            text.gauge("edgeprint_transfers_waiting", "Transfers that wait for a connection.", Double(now.waiting))
        }
    }

    /// Adds the two tiers of the cache.
    func read(memory: MemoryCache<Entity>, store: DiskStore) {
        read { text in
            let (ram, disk) = (memory.statistics, store.statistics)
            text.gauge("edgeprint_cache_bytes", "Bytes kept.") { (tier: CacheTier) in
                Double([ram.bytes, disk.originals.bytes, disk.variants.bytes][tier.index])
            }
            text.gauge("edgeprint_cache_entries", "Entries kept.") { (tier: CacheTier) in
                Double([ram.entries, disk.originals.entries, disk.variants.entries][tier.index])
            }
            let evictions = ram.evictions + disk.originals.evictions + disk.variants.evictions
            text.counter("edgeprint_cache_evictions_total", "Entries that made room.", UInt64(evictions))
            let stores = disk.originals.stores + disk.variants.stores
            text.counter("edgeprint_disk_stores_total", "Objects written to disk.", UInt64(stores))
            text.counter("edgeprint_disk_drops_total", "Objects not written.", UInt64(disk.drops))
            text.counter("edgeprint_disk_errors_total", "Failed calls of the disk.", UInt64(disk.errors))
            let corruptions = UInt64(disk.corruptions)
            text.counter("edgeprint_disk_corruptions_total", "Bodies that had changed on disk, removed.", corruptions)
            text.counter("edgeprint_disk_rebuilds_total", "Damaged indices replaced.", UInt64(disk.rebuilds))
            text.counter("edgeprint_disk_adoptions_total", "Files a new index was made of.", UInt64(disk.adoptions))
            text.counter("edgeprint_disk_expirations_total", "Entries that went for age.", UInt64(disk.expirations))
            text.gauge("edgeprint_disk_healthy", "1 while the disk tier works.", store.health == .healthy ? 1 : 0)
        }
    }

    /// Adds how the memory cache gives way.
    func read(pressure: MemoryPressureMonitor) {
        read { text in
            let now = pressure.status
            text.gauge("edgeprint_memory_cache_allowed_bytes", "Bytes that memory may keep now.", Double(now.allowed))
            text.counter("edgeprint_memory_cache_steps_total", "Times that it was made smaller.", UInt64(now.steps))
            guard let reading = now.reading else { return }
            if let stalled = reading.stalled {
                text.gauge(
                    "edgeprint_memory_stalled_ratio",
                    "Share of ten seconds that waited for memory.",
                    stalled / 100
                )
            }
            guard let group = reading.group else { return }
            text.gauge("edgeprint_control_group_used_bytes", "Memory that is not cached files.", Double(group.used))
            text.gauge("edgeprint_control_group_limit_bytes", "The limit that is nearest.", Double(group.limit))
        }
    }

    /// Adds what memory holds of raw sources; what is on disk counts among the originals.
    func read(raw cache: RawCache) {
        read { text in
            let statistics = cache.statistics
            text.gauge("edgeprint_raw_bytes", "Bytes of raw sources in memory.", Double(statistics.bytes))
            text.gauge("edgeprint_raw_entries", "URLs of raw sources in memory.", Double(statistics.entries))
            text.counter("edgeprint_raw_evictions_total", "Of these, gone to make room.", UInt64(statistics.evictions))
        }
    }

    /// Adds what is under way in the pipeline and at the listener.
    func read(pipeline: Pipeline, server: HTTPServer) {
        read { text in
            text.gauge("edgeprint_variants_under_way", "Variants being made.", Double(pipeline.variantsUnderWay))
            text.gauge("edgeprint_originals_under_way", "Originals being brought.", Double(pipeline.originalsUnderWay))
            let failures = pipeline.failures.statistics
            let sharing = pipeline.sharing
            text.counter("edgeprint_mezzanines_made_total", "Originals kept smaller.", sharing.mezzaninesMade)
            text.counter(
                "edgeprint_mezzanine_hits_total",
                "Variants made from those in place of the original.",
                sharing.mezzaninesUsed
            )
            text.counter(
                "edgeprint_decodes_shared_total",
                "Variants made of another's decoding.",
                sharing.decodesShared
            )
            Metrics.write(pipeline.deferrals, waiting: pipeline.deferredWaiting, to: &text)
            let encodings = pipeline.encodings
            text.counter("edgeprint_quality_searches_total", "Qualities found (q=auto), by tries.") {
                (tries: SearchTries) in encodings.searches[tries.index]
            }
            text.counter("edgeprint_smallest_total", "Formats chosen by size.", encodings.smallest)
            text.gauge("edgeprint_negative_entries", "Failures that are remembered.", Double(failures.entries))
            text.counter("edgeprint_negative_hits_total", "Failures given instead of a try.", failures.hits)
            let now = server.statistics
            text.gauge("edgeprint_connections", "Open client connections.", Double(now.openConnections))
            text.counter("edgeprint_connections_accepted_total", "Client connections accepted.", UInt64(now.accepted))
        }
    }

    /// Adds what the access log could not write.
    func read(accessLog sink: LineSink, budget: LineBudget) {
        read { text in
            text.counter(
                "edgeprint_access_log_dropped_total",
                "Lines of the access log over its budget, or not taken by a slow reader.",
                budget.dropped + sink.dropped
            )
        }
    }
}
