/// What a daemon counts, at one moment, as `GET /stats` answers it; counters grow from the daemon's start.
struct StatsSnapshot: Sendable, Equatable, Decodable {
    var version = ""
    /// Seconds since the daemon's start.
    var uptime = 0
    /// Whether traffic is welcome.
    var ready = false
    var requests = Requests()
    /// Pictures in memory.
    var memory = Tier()
    /// Responses of raw sources in memory; `nil` where there are no such sources.
    var raw: Tier?
    var memoryPressure = MemoryPressure()
    var disk = Disk()
    var transfers = Transfers()
    var workers = Workers()
    var connections = Connections()
    var flights = Flights()
    /// `nil` where no worker could be asked.
    var coders: Coders?

    /// Requests to the public listener.
    struct Requests: Sendable, Equatable, Decodable {
        var total = 0
        var inFlight = 0
        /// By what became of them, as the access log names it.
        var results: [String: Int] = [:]
        /// By the class of the answer's status: `2xx`.
        var statuses: [String: Int] = [:]
        /// Bytes of answers, heads included.
        var bytes = 0
    }

    /// A tier of the cache, or a class in it.
    struct Tier: Sendable, Equatable, Decodable {
        var entries = 0
        var bytes = 0
        /// Bytes that it may hold.
        var quota = 0
        var hits = 0
        var misses = 0
        var evictions = 0
    }

    /// How what is in memory gives way.
    struct MemoryPressure: Sendable, Equatable, Decodable {
        /// Bytes that may be held now by all together, at most their quotas.
        var allowed = 0
        /// Times that it was made smaller.
        var steps = 0
        /// Percent of the last ten seconds in which work waited for memory; `nil` where the kernel does not say.
        var stalled: Double?
        /// Bytes of the control group that is nearest to its limit; `nil` without one.
        var groupUsed: Int?
        var groupLimit: Int?
    }

    /// The tier on disk.
    struct Disk: Sendable, Equatable, Decodable {
        /// `ok`, or why nothing is stored for now.
        var health = ""
        var originals = Tier()
        var variants = Tier()
        /// Objects of both classes written, and not written.
        var stores = 0
        var drops = 0
        /// Of those not written, the originals and the variants.
        var originalDrops = 0
        var variantDrops = 0
        var errors = 0
        /// Writes that wait, and their bytes.
        var queuedWrites = 0
        var queuedBytes = 0
    }

    /// Requests to origins.
    struct Transfers: Sendable, Equatable, Decodable {
        var requests = 0
        var bytes = 0
        var active = 0
        var waiting = 0
        var newConnections = 0
        var reusedConnections = 0
        /// Loads by how they ended.
        var outcomes: [String: Int] = [:]
    }

    /// The transform workers.
    struct Workers: Sendable, Equatable, Decodable {
        var slots = 0
        /// Workers that live and have greeted.
        var ready = 0
        var busy = 0
        /// Jobs that wait.
        var queued = 0
        var jobs = 0
        var starts = 0
        var restarts = 0
        var retirements = 0
        /// Jobs whose picture ended its worker, that were killed at the deadline, that ran again.
        var deadly = 0
        var timeouts = 0
        var retries = 0
        var residentBytes = 0
    }

    /// Client connections.
    struct Connections: Sendable, Equatable, Decodable {
        var open = 0
        var limit = 0
        var accepted = 0
        var turnedAway = 0
        var timedOut = 0
    }

    /// What is being made and brought.
    struct Flights: Sendable, Equatable, Decodable {
        var variants = 0
        var originals = 0
    }
}

extension StatsSnapshot.Requests {
    /// Results that needed no origin.
    private static let hits: [RequestResult] = [.memory, .disk, .original, .stale, .negative]
    /// Results of requests for pictures that were neither refused nor failed.
    private static let asked = hits + [.miss, .collapsed, .revalidated, .fallback]

    /// The share of pictures that needed no origin, 0–1; `nil` before the first.
    var hitRatio: Double? {
        func sum(_ these: [RequestResult]) -> Int { these.reduce(0) { $0 + (results[$1.value] ?? 0) } }
        let asked = sum(Self.asked)
        return asked == 0 ? nil : Double(sum(Self.hits)) / Double(asked)
    }
}
