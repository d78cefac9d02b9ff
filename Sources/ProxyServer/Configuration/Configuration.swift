import HTTPKit
import ImagePipeline
import ImagePlan

/// Everything that the operator decides: one immutable, validated value from which all parts are built.
///
/// The initial values here are the defaults; `ConfigurationSchema` gives each its name, its range and its sentence.
struct Configuration: Sendable, Equatable {
    /// Where the public listener is; at least one address.
    var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8080)]
    var admin = Admin()
    /// In the file's order; names are unique, and none is `fetch`.
    var sources: [ConfiguredSource] = []
    var remote = Remote()
    var signing = Signing()
    var cache = Cache()
    /// For how long failures are remembered.
    var negative = FailurePolicy()
    var purge = Purging()
    var proxies = Proxies()
    var limits = ServiceLimits()
    var timeouts = ServiceTimeouts()
    var shutdown = Shutdown()
    var quality = QualityDefaults()
    /// Formats that are decoded only where this says so; a source may say otherwise.
    var formats = SourceRule.Formats()
    /// How much lower these are for clients that save data; 0 for not at all.
    var saveDataStep = SourceRule(name: "", location: .remote).saveDataStep
    var log = Log()
    var answers = Answers()
    /// In the file's order; names are unique.
    var presets: [ConfiguredPreset] = []
    /// Font families that texts may be drawn in.
    var fonts = ["sans", "serif", "monospace"]
    var workers = Workers()
    var avif = AVIF()
    /// What the hints of clients come to.
    var ladder = HintLadder()

    /// The listener for health, metrics and purging.
    struct Admin: Sendable, Equatable {
        /// Empty where it is off.
        var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8081)]
        /// The bearer token; empty where none is asked for, which only loopback and Unix addresses allow.
        var token = Secret("")
    }

    /// What `/fetch?url=` may ask.
    struct Remote: Sendable, Equatable {
        /// Hosts that unsigned requests may name.
        var allow: [HostPattern] = []
        /// Whether these may have loopback, private and link-local addresses.
        var allowPrivate = false
        /// Whether requests pass through as they are.
        var raw = false
        /// What `no-transform` of an origin comes to.
        var noTransform = SourceRule.NoTransformPolicy.ignore
    }

    /// Who may ask for what nobody configured.
    struct Signing: Sendable, Equatable {
        /// The first signs, all verify: a new key goes first, the old one stays until its URLs have expired.
        var keys: [SigningKey] = []
        /// Whether requests to configured sources need a signature, too.
        var required = false
    }

    /// Who may purge without the admin token.
    struct Purging: Sendable, Equatable {
        /// Clients that may send `PURGE` to the public listener; empty for nobody.
        var allow: [AddressRange] = []
    }

    /// Proxies in front, whose word about a client's address counts.
    struct Proxies: Sendable, Equatable {
        /// Their addresses; `X-Forwarded-For` and the PROXY protocol count from these only.
        var trust: [AddressRange] = []
        /// Whether their connections begin with a PROXY protocol header (version 1 or 2).
        var proxyProtocol = false
    }

    /// Where cached bytes are and how many they may be.
    struct Cache: Sendable, Equatable {
        var path = "/var/cache/edgeprint"
        /// Bytes of encoded pictures in memory; 0 turns the tier off.
        var memory = 256 << 20
        /// Whether the memory tier gives way while memory is short.
        var memoryPressure = true
        /// Bytes of downloads on disk.
        var originals = 10 << 30
        /// Bytes of results on disk.
        var variants = 10 << 30
        /// Bytes of the file system that are left to others; 0 for none.
        var minimumFree = 256 << 20
        /// Milliseconds without use after which an entry on disk goes; 0 for never.
        var maximumAge = 0
        /// A folder that was filled before, looked at after `path` and never written; empty for none.
        var seed = ""
    }

    /// Bounds.
    struct ServiceLimits: Sendable, Equatable {
        /// Of one original; a source may say otherwise.
        var origin = SourceRule.Limits()
        /// Bytes of a request's content.
        var requestBody = 64 << 10
        /// Open client connections over all loops.
        var connections = 10_000
        /// Requests that may wait for one flight.
        var waiters = 1_000
        /// Transforms that may wait for a worker.
        var queue = 512
    }

    /// Durations in milliseconds.
    struct ServiceTimeouts: Sendable, Equatable {
        /// Of one original; a source may say otherwise.
        var origin = SourceRule.Timeouts()
        /// From a request's first byte to the end of its head.
        var header = 10_000
        /// Between two requests of a connection.
        var idle = 60_000
        /// Without progress of an answer.
        var write = 30_000
    }

    /// How the daemon ends.
    struct Shutdown: Sendable, Equatable {
        /// Milliseconds for requests under way.
        var grace = 20_000
    }

    /// What is written where people and machines read it.
    struct Log: Sendable, Equatable {
        var format = LogFormat.json
        var level = LogLevel.info
        /// Whether each request has a line on standard output.
        var access = true
        /// Lines a second that each of the two logs writes, 0 for no bound; more are counted and dropped.
        var rate = 10_000
    }

    /// What answers say beside the picture.
    struct Answers: Sendable, Equatable {
        /// Whether they tell how long the stages behind them took (`Server-Timing`); `timing=1` asks for it where they do not.
        var serverTiming = false
        /// Whose scripts may read them.
        var cors = CrossOrigin.any
    }

    /// AVIF as `format=auto` answers it.
    struct AVIF: Sendable, Equatable {
        /// When it does; a source may say otherwise.
        var policy = AVIFPolicy()
        /// Pictures that may wait for theirs.
        var queue = 64
    }

    /// The transform workers.
    struct Workers: Sendable, Equatable {
        /// Processes; 0 for one a core and one more.
        var count = 0
        /// Bytes of address space of one worker (`RLIMIT_AS`).
        ///
        /// A picture of 50 MP takes 1.4 GiB as AVIF, 2.1 with its colours at full resolution, and 3.3 as JPEG XL, with libvips 8.14,
        /// aom 3.6 and libjxl 0.7.
        var memory = 2 << 30
        /// Bytes of resident memory above which a worker is replaced after its job.
        var rss = 384 << 20
        /// Jobs after which a worker is replaced.
        var jobs = 2_000
    }
}

/// A source as configured: the pipeline's rule, and what the request language adds.
struct ConfiguredSource: Sendable, Equatable {
    var rule: SourceRule
    /// The preset that stands first in each plan.
    var preset: String?
    /// The picture that stands in for originals that cannot be had; `nil` for an error.
    var fallback: Fallback?

    /// A picture that stands in.
    struct Fallback: Sendable, Hashable {
        /// `/NAME/PATH` of a configured source.
        var image: String
        /// The answers' status.
        var status: Int
        /// Seconds for which clients may keep it.
        var ttl: Int64
    }
}

/// A named list of steps and settings, as its text.
struct ConfiguredPreset: Sendable, Equatable {
    var name: String
    /// As in a query: `w=400&h=300&fit=cover`.
    var text: String
    /// Which tiers keep what is made by it; `nil` for those of the source.
    var cache: CacheTiers?
}

/// How lines are written.
enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case json
    /// For people's eyes.
    case text
}

/// The least severe event that is written.
enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

extension Configuration {
    /// The rule that `/fetch?url=` goes by.
    var remoteRule: SourceRule {
        var rule = SourceRule(inheriting: self, named: "fetch")
        rule.allowPrivate = remote.allowPrivate
        rule.isRaw = remote.raw
        rule.noTransform = remote.noTransform
        return rule
    }

    /// Whether anybody may send `PURGE` to the public listener.
    var takesPurges: Bool { !purge.allow.isEmpty || !admin.token.isEmpty }

    /// Whether anything passes through as it is.
    var hasRawSources: Bool { remote.raw || sources.contains(where: \.rule.isRaw) }

    /// `cache.memory`, shared out: a quarter is the responses' of raw sources where there are such, the rest is the pictures'.
    var memoryShares: MemoryShares {
        let raw = hasRawSources ? cache.memory / 4 : 0
        return MemoryShares(pictures: cache.memory - raw, raw: raw)
    }

    /// The source of a name.
    func source(named name: String) -> ConfiguredSource? { sources.first { $0.rule.name == name } }

    /// The preset of a name.
    func preset(named name: String) -> ConfiguredPreset? { presets.first { $0.name == name } }
}
