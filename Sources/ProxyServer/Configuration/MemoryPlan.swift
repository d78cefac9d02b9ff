import HTTPCache
import ImagePipeline
import OriginTransfer

/// The memory budget (`limits.memory`), and the part of it that each consumer may use.
///
/// Settings that are not stated are derived from the budget, so that the parts together stay within one of 192 MiB or more, or 224 MiB with
/// a shared store. Stated ones take precedence; `warning` then states if the sum exceeds the budget.
struct MemoryPlan: Sendable, Equatable {
    /// The bytes that daemon and workers together should use.
    let budget: Int
    /// The memory caches, of images and raw responses (`cache.memory`).
    let cache: Int
    /// Bodies of originals and raw responses that are arriving or in use, in memory (`transfers.memory`).
    let bodies: Int
    /// Results that wait to be written to disk.
    let writes: Int
    /// What waits to be written to the shared store (`cluster.store-queue`); 0 without one.
    let sharedWrites: Int
    /// Cached failures (`negative.memory`).
    let failures: Int
    /// The number of workers (`workers.count`).
    let workers: Int
    /// Decoded pixels of all running jobs (`workers.decode-bytes`).
    let decoded: Int
    /// The address space limit of one worker (`workers.memory`); a safety net, not a part of the budget.
    let workerMemory: Int
    /// The resident memory above which a worker is replaced (`workers.rss`).
    let workerResident: Int

    /// Pictures of the playground (`playground.memory`).
    let playground: Int

    /// The resident memory assumed for the daemon without its caches, in bytes.
    static let daemon = 32 << 20
    /// The resident memory assumed for a worker between jobs, in bytes.
    static let idleWorker = 40 << 20
    /// The budget's share of decoding has room for a worker per this many bytes.
    private static let workerShare = 80 << 20
    /// The memory assumed where neither the machine's nor a limit is known, in bytes.
    private static let unknown = 1 << 30

    /// Derives a plan.
    ///
    /// - Parameters:
    ///   - memory: the memory that the daemon may use.
    ///   - cores: the number of processors.
    init(_ configuration: Configuration, of memory: MachineMemory, cores: Int) {
        let (cache, workers) = (configuration.cache, configuration.workers)
        let available = memory.available ?? Self.unknown
        let budget = configuration.limits.memory.bytes(of: available, derived: memory.budget ?? Self.unknown / 2)
        self.budget = budget
        self.cache = cache.memorySize.bytes(of: available, derived: budget / 4)
        // Without a folder for large bodies, one original must fit.
        let least = cache.hasDisk ? 16 << 20 : configuration.limits.origin.sourceBytes
        bodies = configuration.transferMemory ?? max(least, budget / 8)
        writes = min(64 << 20, budget / 16)
        failures = configuration.failureMemory ?? max(1 << 20, min(64 << 20, budget / 64))
        let cluster = configuration.cluster
        let queue = cluster.bucket == nil ? 0 : min(64 << 20, budget / 16)
        sharedWrites = queue == 0 ? 0 : cluster.storeQueue ?? queue
        // In a small budget, what the other shares and the daemon itself leave.
        let decoding = max(0, min(budget / 16 * 7, budget / 64 * 35 - Self.daemon - queue))
        let count = workers.count > 0 ? workers.count : min(cores + 1, max(1, decoding / Self.workerShare))
        self.workers = count
        decoded = workers.decodeBytes ?? max(32 << 20, decoding - count * Self.idleWorker)
        let queues = writes + sharedWrites
        let others = self.cache + bodies + queues + failures + decoded + count * Self.idleWorker + Self.daemon
        playground = configuration.playground.memory ?? max(0, min(64 << 20, budget - others))
        workerMemory = workers.memory ?? min(2 << 30, max(512 << 20, budget / 4 * 3 + 256 << 20))
        workerResident = workers.rss ?? min(384 << 20, max(128 << 20, decoding / count))
    }

    /// A part of the budget.
    struct Part: Sendable, Equatable {
        /// The name in statistics.
        let name: String
        /// The setting, or a description.
        let title: String
        /// Bytes.
        let limit: Int
    }

    /// The parts that count against the budget.
    var parts: [Part] {
        let shared = [Part(name: "shared", title: "cluster.store-queue", limit: sharedWrites)]
        return [
            Part(name: "cache", title: "cache.memory", limit: cache),
            Part(name: "bodies", title: "transfers.memory", limit: bodies),
            Part(name: "writes", title: "writes to disk", limit: writes),
        ] + (sharedWrites > 0 ? shared : []) + [
            Part(name: "failures", title: "negative.memory", limit: failures),
            Part(name: "playground", title: "playground.memory", limit: playground),
            Part(name: "decoded", title: "workers.decode-bytes", limit: decoded),
            Part(name: "workers", title: "\(workers) idle workers", limit: workers * Self.idleWorker),
            Part(name: "daemon", title: "the daemon itself", limit: Self.daemon),
        ]
    }

    /// The sum of the parts in bytes.
    var sum: Int { parts.reduce(0) { $0 + $1.limit } }
}

extension Configuration {
    /// The sizes of all consumers of memory, on this machine.
    var memoryPlan: MemoryPlan { MemoryPlan(self, of: .current, cores: ProcessorCount.online) }

    /// The lifetimes and bounds of cached failures, with a digest of the configuration apart from its secrets.
    var failurePolicy: FailurePolicy {
        var policy = negative
        policy.bytes = memoryPlan.failures
        policy.configuration = String(SHA256Digest(hashing: yaml).text.prefix(16))
        return policy
    }
}

extension Configuration {
    /// The shares of `cache.memory`: a quarter for raw sources if there are any, the rest for images.
    ///
    /// A site with a quota has shares of its own; all others share what remains.
    var memoryShares: MemoryShares {
        let (own, others) = (sites.filter { $0.quota.memory != nil }, sites.filter { $0.quota.memory == nil })
        func shares(_ bytes: Int, hasRaw: Bool) -> MemoryShares {
            let raw = hasRaw ? bytes / 4 : 0
            return MemoryShares(pictures: bytes - raw, raw: raw)
        }
        let rest = max(0, own.reduce(memoryPlan.cache) { $0 - ($1.quota.memory ?? 0) })
        let hasRaw = hasRawSources || others.contains(where: \.settings.hasRawSources)
        var all = shares(rest, hasRaw: hasRaw)
        for site in own {
            let share = shares(site.quota.memory ?? 0, hasRaw: site.settings.hasRawSources)
            all.reserve(share, for: site.name)
        }
        return all
    }

    /// The maximum entries of both memory tiers, divided as `memoryShares`; `.max` without a limit.
    var memoryEntries: MemoryShares {
        guard cache.memoryEntries > 0 else { return MemoryShares(pictures: .max, raw: .max) }
        let hasRaw = hasRawSources || sites.contains(where: \.settings.hasRawSources)
        let raw = hasRaw ? cache.memoryEntries / 4 : 0
        return MemoryShares(pictures: cache.memoryEntries - raw, raw: raw)
    }
}
