import HTTPCache

/// What one site holds, and was asked.
struct SiteReading: Sendable {
    /// The name, or `default`.
    let name: String
    let requests: Int
    /// What it has in the disk cache.
    let disk: DiskStatistics.Namespace
    /// The bytes that it has in memory; `nil` if it shares memory with others.
    let memory: Int?
}

extension StatisticsReader {
    /// Reads the counts of the configured sites; none if there is only the default one.
    func sites(_ configuration: Configuration) -> [SiteReading] {
        guard !configuration.sites.isEmpty else { return [] }
        let disk = store.statistics
        let (pictures, raw) = (memory.reservedBytes, self.raw.reservedBytes)
        var rest = DiskStatistics.Namespace()
        rest.originals = disk.originals.entries - disk.namespaces.values.reduce(0) { $0 + $1.originals }
        rest.originalBytes = disk.originals.bytes - disk.namespaces.values.reduce(0) { $0 + $1.originalBytes }
        rest.variants = disk.variants.entries - disk.namespaces.values.reduce(0) { $0 + $1.variants }
        rest.variantBytes = disk.variants.bytes - disk.namespaces.values.reduce(0) { $0 + $1.variantBytes }
        func requests(_ name: String) -> Int { Int(clamping: metrics.siteRequests.counter(of: name).value) }
        let standard = SiteReading(
            name: ConfiguredSite.standard,
            requests: requests(ConfiguredSite.standard),
            disk: rest,
            memory: nil
        )
        return [standard]
            + configuration.sites.map { site in
                SiteReading(
                    name: site.name,
                    requests: requests(site.name),
                    disk: disk.namespaces[site.name] ?? DiskStatistics.Namespace(),
                    memory: pictures[site.name].map { $0 + (raw[site.name] ?? 0) }
                )
            }
    }
}

extension StatisticsTable {
    /// Counts by site; only if sites are configured.
    static let sites: [Item] = [
        site("requests", "edgeprint_site_requests_total", "Requests, by site.", isCounter: true) { $0.requests },
        site("originals", "edgeprint_site_originals", "Originals on disk, by site.") { $0.disk.originals },
        site("originalBytes", "edgeprint_site_originals_bytes", "Bytes of originals on disk, by site.") {
            $0.disk.originalBytes
        },
        site("variants", "edgeprint_site_variants", "Variants on disk, by site.") { $0.disk.variants },
        site("variantBytes", "edgeprint_site_variants_bytes", "Bytes of variants on disk, by site.") {
            $0.disk.variantBytes
        },
        site(
            "memoryBytes",
            "edgeprint_site_memory_bytes",
            "Bytes in memory, by site with a memory quota."
        ) { $0.memory },
    ]

    private static func site(
        _ name: String,
        _ metric: String,
        _ help: String,
        isCounter: Bool = false,
        _ value: @escaping @Sendable (SiteReading) -> Int?
    ) -> Item {
        let values = { @Sendable (reading: StatisticsReading) in
            reading.sites.compactMap { site in value(site).map { (site.name, $0) } }
        }
        let metric = Metric(metric, help, label: "site")
        return isCounter
            ? .counters("sites.\(name)", metric, isListed: { !$0.sites.isEmpty }, values)
            : .gauges("sites.\(name)", metric, isListed: { !$0.sites.isEmpty }, values)
    }
}
