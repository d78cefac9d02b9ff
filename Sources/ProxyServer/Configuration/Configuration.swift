import Dialects
import HTTPCache
import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

/// The complete, validated configuration.
///
/// The initial values are the defaults. `ConfigurationSchema` defines the name and the range of each.
struct Configuration: Sendable, Equatable {
    /// The addresses of the public listener; at least one.
    var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8080)]
    var admin = Admin()
    /// The site that these settings are of; empty for those at the file's top.
    var site = ""
    /// The hosts that the sources at the file's top answer for; empty for all, unless a site has hosts.
    var hosts: [SiteHost] = []
    /// The sites in the file's order; names are unique, and none is `default`.
    var sites: [ConfiguredSite] = []
    /// The sources in the file's order; names are unique, and none is `fetch`.
    var sources: [ConfiguredSource] = []
    var remote = Remote()
    /// The language of another server that all paths are in; `nil` for Edgeprint's own.
    var dialect: Dialect?
    /// The source of images that requests in this language name by a path; `nil` for the only one.
    var dialectSource: String?
    var dialects = DialectKeys()
    /// The rules in the file's order.
    var rules: [ConfiguredRule] = []
    var signing = Signing()
    /// The keys for AES-256 in the file's order; names are unique.
    var keys: [ConfiguredKey] = []
    var cache = Cache()
    /// The lifetimes of cached failures.
    var negative = FailurePolicy()
    /// The maximum bytes of cached failures; `nil` to derive it from `limits.memory`.
    var failureMemory: Int?
    var purge = Purging()
    /// Whether only stored responses are served; sources can override it.
    var isOffline = false
    var proxies = Proxies()
    var clients = Clients()
    var limits = ServiceLimits()
    var overload = Overload()
    var timeouts = ServiceTimeouts()
    /// The queue of transfers from origins.
    var transfers = TransferScheduling()
    /// The maximum bytes of bodies in memory that are arriving or in use; `nil` to derive it from `limits.memory`.
    var transferMemory: Int?
    /// When hosts that fail are left alone.
    var breaker = BreakerPolicy()
    var shutdown = Shutdown()
    var quality = QualityDefaults()
    /// Formats that are decoded only if enabled; sources can override it.
    var formats = FormatPolicy()
    /// The amount by which qualities are lowered for clients with `Save-Data`; 0 to ignore the field.
    var saveDataStep = SourceRule(name: "", location: .remote).saveDataStep
    var log = Log()
    var tracing = Tracing()
    var cluster = Cluster()
    var answers = Answers()
    /// The presets in the file's order; names are unique.
    var presets: [ConfiguredPreset] = []
    /// The font families for text watermarks.
    var fonts = ["sans", "serif", "monospace"]
    var workers = Workers()
    var avif = AVIF()
    /// What clients receive under overload.
    var brownout = BrownoutRule()
    /// In how many different minutes a variant must be requested before it is encoded again; 0 disables it.
    var recompressAfter = SourceRule(name: "", location: .remote).recompressAfter
    /// Whether clients that accept JPEG XL get bare JPEG originals as such.
    var transcodesOriginals = false
    /// Jobs that fill the cache ahead of requests.
    var warm = Warm()
    /// The sizes that client hints are rounded up to.
    var ladder = HintLadder()
    var events = Events()
    var playground = Playground()
    var placeholders = Placeholders()
    var metrics = MetricBounds()

    /// The admin listener.
    struct Admin: Sendable, Equatable {
        /// Its addresses; empty if it is off.
        var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8081)]
        /// The bearer token; empty for none, which only loopback and Unix addresses allow.
        var token = Secret("")
        /// The lifetime of a browser's session in milliseconds.
        var session = 12 * 3_600_000
        /// The recent requests that the pages remember for each event loop; 0 for none.
        var recent = 400
    }

    /// The streams of the admin listener.
    struct Events: Sendable, Equatable {
        /// The maximum number of open streams.
        var subscribers = 16
        /// The bytes that one subscriber may have to receive.
        var buffer = 1 << 20
    }

    /// The settings of `/fetch?url=`.
    struct Remote: Sendable, Equatable {
        /// The hosts that unsigned requests may name.
        var allow: [HostPattern] = []
        /// Whether loopback, private and link-local addresses are allowed.
        var allowPrivate = false
        /// Whether it is a plain HTTP cache.
        var raw = false
        /// Query parameters of the URL that are dropped.
        var ignoreQuery: [String] = []
        /// Query parameters of the URL that are sent and are not part of the cache key.
        var unkeyedQuery: [String] = []
        /// Whether the URL's query is sorted by name.
        var sortsQuery = false
        /// The hosts whose pages stand for the pictures that they name.
        var pages: [HostPattern] = []
        /// The maximum bytes of a page.
        var pageBytes = 2 << 20
        /// Who may send `data:` URLs.
        var data = DataURLPolicy.signed
        /// The names of the keys of encrypted URLs (`enc`): the first encrypts, all of them decrypt.
        var urlKeys: [String] = []
        /// How an origin's `no-transform` is handled.
        var noTransform = SourceRule.NoTransformPolicy.ignore
        var unsupported = SourceRule.UnsupportedPolicy.refuse
        /// What requests without a signature may ask.
        var unsigned = UnsignedUse.any
        /// Which jobs may share a worker process.
        var isolation = SourceRule.Isolation.host
    }

    /// The settings of signed requests.
    struct Signing: Sendable, Equatable {
        /// The keys: the first signs, all of them verify.
        ///
        /// A new key is put first, and the old one is kept until its URLs have expired.
        var keys: [SigningKey] = []
        /// Whether requests for configured sources must be signed.
        var required = false
        /// The requests a second that are signed with one key and that the caches in memory cannot answer; 0 for no limit.
        var rate = 0
    }

    /// The settings of `PURGE` on the public listener.
    struct Purging: Sendable, Equatable {
        /// The clients that may send `PURGE` without the admin token.
        var allow: [AddressRange] = []
    }

    /// How clients are treated.
    struct Clients: Sendable, Equatable {
        /// The most open connections of one client.
        var connections = 1_000
        /// Clients that have closed their sending side before their response is ready.
        var halfClose = ServerConfiguration.HalfClosePolicy.answered
        /// The requests a second of one client that the caches in memory cannot answer, averaged over ten seconds; 0 for no limit.
        var rate = 0
    }

    /// The reverse proxies that are trusted to state a client's address.
    struct Proxies: Sendable, Equatable {
        /// Their addresses; `X-Forwarded-For` and the PROXY protocol are only accepted from these.
        var trust: [AddressRange] = []
        /// Whether their connections begin with a PROXY protocol header (version 1 or 2).
        var proxyProtocol = false
    }

    /// The cache's location and quotas.
    struct Cache: Sendable, Equatable {
        /// The folder; empty if there is no disk tier.
        var path = "/var/cache/edgeprint"
        /// The memory quota; 0 disables the tier.
        var memorySize = MemorySize.automatic
        /// The maximum number of entries in memory; 0 for no limit.
        var memoryEntries = 0
        /// How the tiers are used.
        var tiers = TierPolicy()
        /// The number of threads that read from disk.
        var readThreads = 2
        /// Whether the memory tier shrinks under memory pressure.
        var memoryPressure = true
        /// The disk quota of originals in bytes.
        var originals = 10 << 30
        /// The disk quota of variants in bytes.
        var variants = 10 << 30
        /// The bytes that stay free on the file system; 0 for none.
        var minimumFree = 256 << 20
        /// The milliseconds without use after which an entry on disk is removed; 0 for never.
        var maximumAge = 0
        /// A read-only cache folder that is consulted after `path`; empty for none.
        var seed = ""

        /// Whether there is a disk tier.
        var hasDisk: Bool { !path.isEmpty }
    }

    /// Limits of sizes and numbers.
    struct ServiceLimits: Sendable, Equatable {
        /// The memory that daemon and workers together should use: the base of all sizes that are not stated.
        var memory = MemorySize.automatic
        /// The milliseconds without requests after which freed memory is returned to the system, and without need after which workers
        /// end; 0 for never.
        var memoryIdle = 30_000
        /// The settings of one original; sources can override them.
        var origin = SourceRule.Limits()
        /// The maximum bytes of a request body.
        var requestBody = 64 << 10
        /// The maximum open client connections over all loops.
        var connections = 10_000
        /// The maximum requests waiting for one flight.
        var waiters = 1_000
        /// The maximum transforms waiting for a worker.
        var queue = 512
    }

    /// Durations in milliseconds.
    struct ServiceTimeouts: Sendable, Equatable {
        /// The settings of one original; sources can override them.
        var origin = SourceRule.Timeouts()
        /// Receiving a request's head, from its first byte.
        var header = 10_000
        /// Waiting for the next request on a connection.
        var idle = 60_000
        /// Sending a response without progress.
        var write = 30_000
    }

    /// The settings of shutdown.
    struct Shutdown: Sendable, Equatable {
        /// The milliseconds that requests in progress may take to finish.
        var grace = 20_000
    }

    /// The settings of the logs.
    struct Log: Sendable, Equatable {
        var format = LogFormat.json
        var level = LogLevel.info
        /// Whether each request is logged to standard output.
        var access = true
        /// The maximum lines per second in each of the two logs, 0 for no limit; more are counted and dropped.
        var rate = 10_000
    }

    /// The settings of response fields.
    struct Answers: Sendable, Equatable {
        /// Whether all responses have `Server-Timing`; otherwise only those to `timing=1`.
        var serverTiming = false
        /// The origins whose scripts may read responses.
        var cors = CrossOrigin.any
        var accelRedirect = AccelRedirect()
    }

    /// The settings of AVIF chosen by `format=auto`.
    struct AVIF: Sendable, Equatable {
        /// When AVIF is chosen; sources can override it.
        var policy = AVIFPolicy()
        /// The maximum images waiting for their AVIF.
        var queue = 64
    }

    /// The settings of jobs that fill the cache ahead of requests (SDWebImage: `SDWebImagePrefetcher`).
    struct Warm: Sendable, Equatable {
        /// The maximum targets in progress, over all jobs.
        var active = 3
        /// The maximum targets started per second; 0 for no limit.
        var rate = 0
        /// The maximum number of jobs, running or ended; the oldest ended ones are forgotten.
        var jobs = 100
        /// The maximum number of targets of a job.
        var targets = 100_000
        /// The milliseconds between two reports of progress on a stream.
        var progress = 500
    }

    /// The settings of transform workers.
    struct Workers: Sendable, Equatable {
        /// The number of processes; 0 for one per core plus one, or fewer if memory is short.
        var count = 0
        /// The address space limit of one worker in bytes (`RLIMIT_AS`); `nil` to derive it from `limits.memory`.
        ///
        /// An image of 50 MP needs 1.4 GiB as AVIF, 2.1 GiB with full chroma resolution, and 3.3 GiB as JPEG XL, with libvips 8.14,
        /// aom 3.6 and libjxl 0.7.
        var memory: Int?
        /// The resident bytes above which a worker is replaced after its job; `nil` to derive it.
        var rss: Int?
        /// The number of jobs after which a worker is replaced.
        var jobs = 2_000
        /// The maximum bytes of decoded pixels of all running jobs together; `nil` to derive it.
        var decodeBytes: Int?
        /// How strictly the workers' sandbox, and the daemon's protection from them, must be in force.
        var sandbox = SandboxMode.best
    }
}

/// A configured source: the pipeline's rule and the settings of its requests.
struct ConfiguredSource: Sendable, Equatable {
    var rule: SourceRule
    /// The preset that is applied first to every request.
    var preset: String?
    /// The image that replaces unavailable originals; `nil` for an error response.
    var fallback: Fallback?
    var reading = PathReading()

    /// How the paths of its requests are read.
    struct PathReading: Sendable, Hashable {
        /// The language of another server; `nil` for Edgeprint's own.
        var dialect: Dialect?
        /// The source that requests in this language are for; `nil` for the source itself.
        var dialectSource: String?
        /// Whether the first segment may have parameters (`PathStyle`).
        var isPathStyle = false
    }

    /// A fallback image.
    struct Fallback: Sendable, Hashable {
        /// `/NAME/PATH` of a configured source.
        var image: String
        /// The status of the responses.
        var status: Int
        /// The lifetime in seconds.
        var ttl: Int64
    }
}

/// A named list of steps and settings.
struct ConfiguredPreset: Sendable, Equatable {
    var name: String
    /// The list, as in a query: `w=400&h=300&fit=cover`.
    var text: String
    /// The cache tiers of its results; `nil` for those of the source.
    var cache: CacheTiers?
}

/// A named key for AES-256.
struct ConfiguredKey: Sendable, Equatable {
    var name: String
    var key: CipherKey
}

/// The format of log lines.
enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case json
    /// Plain text.
    case text
}

/// The minimum level of logged events.
enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

extension Configuration {
    /// The source rule of `/fetch?url=`.
    var remoteRule: SourceRule {
        var rule = SourceRule(inheriting: self, named: CacheNamespace.source("fetch", in: site))
        rule.allowPrivate = remote.allowPrivate
        rule.isRaw = remote.raw
        rule.noTransform = remote.noTransform
        rule.unsupported = remote.unsupported
        rule.isolation = remote.isolation
        rule.ignoreQuery = remote.ignoreQuery
        rule.unkeyedQuery = remote.unkeyedQuery
        rule.sortsQuery = remote.sortsQuery
        rule.unsigned = remote.unsigned
        return rule
    }

    /// Whether `PURGE` is enabled on the public listener, for any site.
    var takesPurges: Bool {
        !purge.allow.isEmpty || !tokens.isEmpty || sites.contains { !$0.settings.purge.allow.isEmpty }
    }

    /// Whether any source, or `/fetch`, is raw.
    var hasRawSources: Bool { remote.raw || sources.contains(where: \.rule.isRaw) }

    /// The source with a name.
    func source(named name: String) -> ConfiguredSource? { sources.first { $0.rule.localName == name } }

    /// The key with a name.
    func key(named name: String) -> CipherKey? { keys.first { $0.name == name }?.key }

    /// The preset with a name.
    func preset(named name: String) -> ConfiguredPreset? { presets.first { $0.name == name } }
}
