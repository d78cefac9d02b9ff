import HTTPCache
import ImagePipeline

extension StatisticsTable {
    /// The memory tiers, and how they shrink under pressure.
    ///
    /// Raw responses on disk count among the originals.
    static let caches: [Item] =
        tier("memory", .memory, metrics: .tier("memory"), quota: { $0.shares.pictures }) {
            ($0.memory.bytes, $0.memory.entries, $0.memory.hits, $0.memory.misses, $0.memory.evictions)
        }
        + [
            .gauge(
                "memoryPressure.allowed",
                Metric("edgeprint_memory_cache_allowed_bytes", "Current limit of the memory cache in bytes."),
                Phrase(.memory, .written(shortage))
            ) { $0.pressure.allowed },
            .counter(
                "memoryPressure.steps",
                Metric("edgeprint_memory_cache_steps_total", "Memory-cache shrinks under pressure.")
            ) { $0.pressure.steps },
            // Percent in the JSON, a ratio in Prometheus.
            .fact(
                "memoryPressure.stalled",
                Metric(
                    "edgeprint_memory_stalled_ratio",
                    "Share of the last ten seconds in which tasks were stalled on memory."
                ) { value in value.double.map { $0 / 100 } }
            ) { $0.pressure.reading?.stalled.map(JSONValue.decimal) ?? .null },
            .fact(
                "memoryPressure.groupUsed",
                Metric(
                    "edgeprint_control_group_used_bytes",
                    "Memory used by the control group nearest to its limit, cached files excluded."
                )
            ) { $0.pressure.reading?.group.map { .number($0.used) } ?? .null },
            .fact(
                "memoryPressure.groupLimit",
                Metric(
                    "edgeprint_control_group_limit_bytes",
                    "Memory limit of the control group nearest to its limit."
                )
            ) { $0.pressure.reading?.group.map { .number($0.limit) } ?? .null },
        ]
        + tier(
            "raw",
            .raw,
            metrics: TierMetrics(
                bytes: Metric("edgeprint_raw_bytes", "Bytes of raw responses in memory."),
                entries: Metric("edgeprint_raw_entries", "Raw responses in memory, by URL."),
                evictions: Metric(
                    "edgeprint_raw_evictions_total",
                    "Raw responses evicted from memory to make room."
                ),
                quota: Metric("edgeprint_raw_quota_bytes", "Quota of raw responses in memory."),
                hits: Metric("edgeprint_raw_hits_total", "Raw responses found in memory."),
                misses: Metric("edgeprint_raw_misses_total", "Raw responses not found in memory.")
            ),
            quota: { $0.shares.raw },
            isListed: { $0.shares.raw > 0 }
        ) { ($0.raw.bytes, $0.raw.entries, $0.raw.hits, $0.raw.misses, $0.raw.evictions) }

    /// The disk cache.
    static let disk: [Item] =
        [
            .fact(
                "disk.health",
                Metric("edgeprint_disk_healthy", "1 while the disk cache works, 0 while it is degraded.") {
                    $0 == .string("off") ? nil : $0 == .string("ok") ? 1 : 0
                },
                Phrase(
                    .disk,
                    .written { change in change.now["disk.health"].flatMap { $0.words == "ok" ? nil : $0.words } }
                )
            ) { .string($0.diskHealth.description) }
        ]
        + tier("disk.originals", .originals, metrics: .tier("originals"), quota: { $0.quotas.originals }) {
            let part = $0.disk.originals
            return (part.bytes, part.entries, part.hits, part.misses, part.evictions)
        }
        + tier("disk.variants", .variants, metrics: .tier("variants"), quota: { $0.quotas.variants }) {
            let part = $0.disk.variants
            return (part.bytes, part.entries, part.hits, part.misses, part.evictions)
        }
        + [
            .counter(nil, Metric("edgeprint_cache_evictions_total", "Entries evicted to make room, in all tiers.")) {
                $0.memory.evictions + $0.disk.originals.evictions + $0.disk.variants.evictions
            },
            .counter("disk.stores", Metric("edgeprint_disk_stores_total", "Objects written to disk.")) {
                $0.disk.originals.stores + $0.disk.variants.stores
            },
            .counter(
                "disk.drops",
                Metric(
                    "edgeprint_disk_drops_total",
                    "Objects not written to disk: the queue was full, the disk degraded, or the object too large."
                )
            ) { $0.disk.drops },
            .counter("disk.originalDrops", nil, Phrase(.originals, .noun("drop"), omitsZero: true)) {
                $0.disk.originals.drops
            },
            .counter("disk.variantDrops", nil, Phrase(.variants, .noun("drop"), omitsZero: true)) {
                $0.disk.variants.drops
            },
            .counter(
                "disk.errors",
                Metric("edgeprint_disk_errors_total", "Disk I/O errors."),
                Phrase(.disk, .noun("error"), omitsZero: true)
            ) { $0.disk.errors },
            .gauge(
                "disk.queuedWrites",
                nil,
                Phrase(.disk, .noun("write queued", plural: "writes queued"), omitsZero: true)
            ) { $0.disk.queuedWrites },
            .gauge("disk.queuedBytes") { $0.disk.queuedBytes },
            .counter(
                nil,
                Metric("edgeprint_disk_corruptions_total", "Corrupt files found on disk and removed.")
            ) { $0.disk.corruptions },
            .counter(nil, Metric("edgeprint_disk_rebuilds_total", "Damaged indexes replaced.")) { $0.disk.rebuilds },
            .counter(nil, Metric("edgeprint_disk_adoptions_total", "Files entered into a rebuilt index.")) {
                $0.disk.adoptions
            },
            .counter(
                nil,
                Metric("edgeprint_disk_links_total", "Bodies stored as another name of a file with the same bytes.")
            ) { $0.disk.links },
            .counter(nil, Metric("edgeprint_disk_expirations_total", "Entries removed because of their age.")) {
                $0.disk.expirations
            },
        ]

    /// The metrics of one tier.
    private struct TierMetrics {
        var bytes: Metric
        var entries: Metric
        var evictions: Metric
        var quota: Metric
        var hits: Metric
        var misses: Metric

        /// The metrics of a tier that shares its families with other tiers.
        static func tier(_ name: String) -> TierMetrics {
            TierMetrics(
                bytes: Metric("edgeprint_cache_bytes", "Bytes in the cache, by tier.", label: "tier", is: name),
                entries: Metric("edgeprint_cache_entries", "Entries in the cache, by tier.", label: "tier", is: name),
                evictions: Metric(
                    "edgeprint_cache_tier_evictions_total",
                    "Entries evicted to make room, by tier.",
                    label: "tier",
                    is: name
                ),
                quota: Metric("edgeprint_cache_quota_bytes", "Quota of the cache, by tier.", label: "tier", is: name),
                hits: Metric(
                    "edgeprint_cache_hits_total",
                    "Look-ups that found an entry, by tier.",
                    label: "tier",
                    is: name
                ),
                misses: Metric(
                    "edgeprint_cache_misses_total",
                    "Look-ups that found no entry, by tier.",
                    label: "tier",
                    is: name
                )
            )
        }
    }

    /// The six numbers of a tier.
    private static func tier(
        _ path: String,
        _ line: Phrase.Row,
        metrics: TierMetrics,
        quota: @escaping @Sendable (StatisticsReading) -> Int,
        isListed: @escaping @Sendable (StatisticsReading) -> Bool = { _ in true },
        _ read:
            @escaping @Sendable (StatisticsReading) -> (
                bytes: Int, entries: Int, hits: Int, misses: Int, evictions: Int
            )
    ) -> [Item] {
        [
            .gauge(
                "\(path).bytes",
                metrics.bytes,
                Phrase(line, .sizeOf("\(path).quota")),
                isListed: isListed
            ) { read($0).bytes },
            .gauge(
                "\(path).entries",
                metrics.entries,
                Phrase(line, .noun("entry", plural: "entries")),
                isListed: isListed
            ) { read($0).entries },
            .gauge("\(path).quota", metrics.quota, isListed: isListed, quota),
            .counter("\(path).hits", metrics.hits, isListed: isListed) { read($0).hits },
            .counter("\(path).misses", metrics.misses, isListed: isListed) { read($0).misses },
            .counter(
                "\(path).evictions",
                metrics.evictions,
                Phrase(line, .number("evicted")),
                isListed: isListed
            ) { read($0).evictions },
        ]
    }

    private static func shortage(_ change: StatisticsChange) -> String? {
        let quota = (change.number("memory.quota") ?? 0) + (change.number("raw.quota") ?? 0)
        guard let allowed = change.number("memoryPressure.allowed"), allowed < quota,
            change.number("memoryPressure.steps") ?? 0 > 0
        else { return nil }
        return "limited to \(Printing.size(allowed)) by memory pressure"
    }
}
