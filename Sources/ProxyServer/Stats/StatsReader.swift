import HTTPKit
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// Takes snapshots of a running daemon's parts; any thread.
struct StatsReader: Sendable {
    let metrics: Metrics
    let memory: MemoryCache<Entity>
    let raw: RawCache
    let pressure: MemoryPressureMonitor
    let store: DiskStore
    let transfers: TransferEngine
    let workers: WorkerPool
    let pipeline: Pipeline
    let server: HTTPServer
    let readiness: Readiness
    let live: LiveConfiguration
    let time: any TimeSource
    /// Nanoseconds of the monotonic clock at the daemon's start.
    let start: Int64

    /// The counts now, not all of one instant.
    func snapshot() -> StatsSnapshot {
        var result = StatsSnapshot()
        result.version = Version.text
        result.uptime = Int((time.monotonic - start) / 1_000_000_000)
        result.ready = readiness.isReady
        result.requests = requests()
        let shares = live.current.memoryShares
        result.memory = tier(memory.statistics, quota: shares.pictures)
        if shares.raw > 0 { result.raw = tier(raw.statistics, quota: shares.raw) }
        result.memoryPressure = memoryPressure()
        result.disk = disk()
        result.transfers = transferCounts()
        result.workers = workerCounts()
        result.connections = connections()
        result.flights.variants = pipeline.variantsUnderWay
        result.flights.originals = pipeline.originalsUnderWay
        return result
    }

    private func requests() -> StatsSnapshot.Requests {
        var result = StatsSnapshot.Requests()
        for label in RequestResult.allCases { result.results[label.value] = Int(metrics.requests.value(label)) }
        for label in StatusClass.allCases { result.statuses[label.value] = Int(metrics.responses.value(label)) }
        result.total = result.results.values.reduce(0, +)
        result.inFlight = Int(metrics.inFlight.value)
        result.bytes = Int(clamping: metrics.responseBytes.value)
        return result
    }

    private func tier(_ now: MemoryStatistics, quota: Int) -> StatsSnapshot.Tier {
        StatsSnapshot.Tier(
            entries: now.entries,
            bytes: now.bytes,
            quota: quota,
            hits: now.hits,
            misses: now.misses,
            evictions: now.evictions
        )
    }

    private func memoryPressure() -> StatsSnapshot.MemoryPressure {
        let now = pressure.status
        return StatsSnapshot.MemoryPressure(
            allowed: now.allowed,
            steps: now.steps,
            stalled: now.reading?.stalled,
            groupUsed: now.reading?.group?.used,
            groupLimit: now.reading?.group?.limit
        )
    }

    private func disk() -> StatsSnapshot.Disk {
        let now = store.statistics
        let quotas = live.current.cache
        func tier(_ part: DiskStatistics.Class, _ quota: Int) -> StatsSnapshot.Tier {
            StatsSnapshot.Tier(
                entries: part.entries,
                bytes: part.bytes,
                quota: quota,
                hits: part.hits,
                misses: part.misses,
                evictions: part.evictions
            )
        }
        return StatsSnapshot.Disk(
            health: store.health.description,
            originals: tier(now.originals, quotas.originals),
            variants: tier(now.variants, quotas.variants),
            stores: now.originals.stores + now.variants.stores,
            drops: now.drops,
            originalDrops: now.originals.drops,
            variantDrops: now.variants.drops,
            errors: now.errors,
            queuedWrites: now.queuedWrites,
            queuedBytes: now.queuedBytes
        )
    }

    private func transferCounts() -> StatsSnapshot.Transfers {
        let now = transfers.statistics
        return StatsSnapshot.Transfers(
            requests: now.requests,
            bytes: now.bytes,
            active: now.active,
            waiting: now.waiting,
            newConnections: now.newConnections,
            reusedConnections: now.reusedConnections,
            outcomes: Dictionary(now.outcomes.map { ($0.key.rawValue, $0.value) }) { $0 + $1 }
        )
    }

    private func workerCounts() -> StatsSnapshot.Workers {
        let now = workers.statistics
        return StatsSnapshot.Workers(
            slots: now.workers.count,
            ready: now.ready,
            busy: now.workers.count { $0.isBusy },
            queued: now.queued,
            jobs: now.jobs,
            starts: now.starts,
            restarts: now.restarts,
            retirements: now.retirements,
            deadly: now.deadly,
            timeouts: now.timeouts,
            retries: now.retries,
            residentBytes: now.workers.reduce(0) { $0 + $1.residentBytes }
        )
    }

    private func connections() -> StatsSnapshot.Connections {
        let now = server.statistics
        return StatsSnapshot.Connections(
            open: Int(now.openConnections),
            limit: live.current.limits.connections,
            accepted: Int(now.accepted),
            turnedAway: Int(now.turnedAway),
            timedOut: Int(now.timedOut)
        )
    }
}
