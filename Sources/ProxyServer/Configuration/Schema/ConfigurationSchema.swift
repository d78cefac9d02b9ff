import HTTPCache
import ImagePipeline
import ImagePlan
import OriginTransfer

/// All keys of the configuration file except those of a source.
enum ConfigurationSchema {
    /// The longest allowed timeout, in milliseconds.
    static let longest = 3_600_000
    private static let largest = 1 << 50

    static let root = SettingTable<Configuration>(
        listeners + content + dialects + InheritedSetting.plain.map(\.top) + tiers + storage
            + InheritedSetting.top("limits")
            + limits
            + InheritedSetting.top("timeouts")
            + timeouts + transfers
            + InheritedSetting.top("quality") + InheritedSetting.top("formats") + behaviour + tracing
            + answers + webp
            + InheritedSetting.top("avif") + avif + ladder + warm + events + playground + placeholders
            + metrics + cluster
    )

    private static let listeners: [Setting<Configuration>] = [
        Setting(
            "listen",
            \.listen,
            .nonEmptyList(of: .address),
            needsRestart: true,
            "Address of the public listener: HOST:PORT, unix:/PATH, or a list of these."
        ),
        Setting(
            "admin.listen",
            \.admin.listen,
            .addressesOrOff,
            needsRestart: true,
            "Address of health checks, metrics and administration, or a list of addresses; off to disable."
        ),
        Setting("admin.token", \.admin.token, .token, "Bearer token; required if admin listens beyond loopback."),
        Setting(
            "admin.session",
            \.admin.session,
            .duration(60_000...2_592_000_000),
            "Lifetime of a browser's session after it has sent the token."
        ),
        Setting(
            "admin.recent",
            \.admin.recent,
            .count(0...10_000),
            needsRestart: true,
            "Recent requests that the Live page remembers, for each event loop; 0 to remember none."
        ),
    ]

    private static let content: [Setting<Configuration>] = [
        Setting(
            "hosts",
            \.hosts,
            .list(of: .siteHost),
            "Hosts that the sources here answer for; empty for all, unless a site has hosts."
        ),
        .deferred(
            "sites",
            .map(of: .definition("site")),
            "Sites with sources, presets, keys and quotas of their own, by host or prefix."
        ) {
            .map($0.sites.map { ($0.name, SiteSchema.yaml($0)) })
        } differs: { old, new in
            old.sites.count != new.sites.count || !zip(old.sites, new.sites).allSatisfy { $0.isSame(as: $1) }
        },
        .deferred("sources", .map(of: .definition("source")), "GET /NAME/PATH fetches url + PATH.") { configuration in
            .map(configuration.sources.map { ($0.rule.localName, SourceSchema.yaml($0)) })
        } differs: {
            $0.sources != $1.sources
        },
        Setting(
            "remote.allow",
            \.remote.allow,
            .list(of: .hostPattern),
            "Hosts that unsigned /fetch?url= requests may fetch from."
        ),
        Setting(
            "remote.allow-private",
            \.remote.allowPrivate,
            .flag,
            "Allow /fetch to reach loopback, private and link-local addresses."
        ),
        Setting(
            "remote.active",
            \.transfers.foreign,
            .count(1...10_000),
            "Maximum concurrent downloads of /fetch, over all hosts."
        ),
        Setting("remote.raw", \.remote.raw, .flag, "Make /fetch a plain HTTP cache for any content."),
        Setting("remote.unsupported", \.remote.unsupported, .choice, "Like unsupported of a source, for /fetch."),
        Setting(
            "remote.ignore-query",
            \.remote.ignoreQuery,
            .list(of: .parameterPattern),
            "Query parameters of URLs that are dropped: names, or patterns with *."
        ),
        Setting(
            "remote.unkeyed-query",
            \.remote.unkeyedQuery,
            .list(of: .parameterPattern),
            "Query parameters of URLs that are sent to the origin and are not part of the cache key."
        ),
        Setting("remote.sort-query", \.remote.sortsQuery, .flag, "Sort the query of URLs by name."),
        Setting(
            "remote.pages",
            \.remote.pages,
            .list(of: .hostPattern),
            "Hosts whose pages stand for the picture that they name (og:image) in requests to /fetch."
        ),
        Setting(
            "remote.page-bytes",
            \.remote.pageBytes,
            .size(1 << 10...64 << 20),
            "Maximum size of such a page."
        ),
        Setting(
            "remote.data",
            \.remote.data,
            .choice,
            "Requests to /fetch that may contain their image in a data: URL: signed, any, or off."
        ),
        Setting(
            "remote.url-keys",
            \.remote.urlKeys,
            .list(of: .text("the name of a key")),
            "Names of the keys of encrypted URLs (enc); the first encrypts, all of them decrypt."
        ),
        Setting(
            "remote.unsigned",
            \.remote.unsigned,
            .unsignedUse,
            "Like unsigned of a source, for /fetch requests whose host is in remote.allow."
        ),
        Setting(
            "remote.isolate",
            \.remote.isolation,
            .choice,
            "Like isolate of a source, for /fetch; host separates the hosts of URLs."
        ),
        Setting("remote.no-transform", \.remote.noTransform, .choice, "Like no-transform of a source, for /fetch."),
        .deferred(
            "rules",
            .list(of: .definition("rule"), isEmptyAllowed: true),
            "Settings by source, host, path, type, size or header field."
        ) { configuration in
            .list(configuration.rules.map(RuleSchema.yaml))
        } differs: {
            $0.rules != $1.rules
        },
        Setting(
            "signing.keys",
            \.signing.keys,
            .list(of: .signingKey),
            "Signing keys; the first one signs, all of them verify."
        ),
        Setting(
            "keys",
            \.keys,
            .cipherKeys,
            takesEnvironment: false,
            "Named keys for AES-256, for decrypt of sources and for remote.url-keys."
        ),
        Setting(
            "signing.rate",
            \.signing.rate,
            .count(0...1_000_000),
            "Uncached requests a second that are signed with one key; 0 for no limit."
        ),
        Setting("signing.required", \.signing.required, .flag, "Require a signature for every request."),
        Setting(
            "purge.allow",
            \.purge.allow,
            .list(of: .addressRange),
            "Clients that may send PURGE to the public listener; empty for none."
        ),
        Setting(
            "proxies.trust",
            \.proxies.trust,
            .list(of: .addressRange),
            needsRestart: true,
            "Reverse proxies whose X-Forwarded-For is trusted."
        ),
        Setting(
            "proxies.proxy-protocol",
            \.proxies.proxyProtocol,
            .onOff,
            needsRestart: true,
            "Read client addresses from a PROXY protocol header instead of X-Forwarded-For."
        ),
        Setting(
            "clients.rate",
            \.clients.rate,
            .count(0...1_000_000),
            "Requests a second of one client that memory cannot answer; 0 for no limit."
        ),
    ]

    private static let storage: [Setting<Configuration>] = [
        Setting(
            "cache.memory-pressure",
            \.cache.memoryPressure,
            .onOff,
            "Shrink the memory cache under memory pressure."
        ),
        Setting("cache.originals", \.cache.originals, .size(1 << 20...largest), "Disk quota for downloads."),
        Setting("cache.variants", \.cache.variants, .size(1 << 20...largest), "Disk quota for results."),
        Setting(
            "cache.min-free",
            \.cache.minimumFree,
            .size(0...largest),
            "Free space that the disk cache leaves on its file system; 0 for none."
        ),
        Setting(
            "cache.max-age",
            \.cache.maximumAge,
            .duration(0...10 * 365 * 86_400_000),
            "Time after which unused entries are removed from disk; 0s to keep them until the quota is reached."
        ),
        Setting(
            "cache.seed",
            \.cache.seed,
            .text("a folder's path", isEmptyAllowed: true),
            needsRestart: true,
            "Read-only cache folder, filled in advance, that is consulted after cache.path; empty for none."
        ),
        Setting(
            "negative.missing",
            \.negative.missing,
            .seconds,
            "Lifetime of a cached 404, 410 or 451; 0 to disable."
        ),
        Setting(
            "negative.denied",
            \.negative.denied,
            .seconds,
            "Lifetime of a cached 401 or 403 from the origin; 0 to disable."
        ),
        Setting(
            "negative.undecodable",
            \.negative.undecodable,
            .seconds,
            "Lifetime of a cached decoding failure; 0 to disable."
        ),
        Setting(
            "negative.failing",
            \.negative.failing,
            .seconds,
            "Initial back-off after an origin failure; doubles with each further one."
        ),
        Setting("negative.failing-max", \.negative.failingMaximum, .seconds, "Longest back-off after origin failures."),
        Setting("negative.entries", \.negative.entries, .count(0...10_000_000), "Maximum number of cached failures."),
    ]

    private static let timeouts: [Setting<Configuration>] = [
        Setting(
            "timeouts.header",
            \.timeouts.header,
            .duration(1...longest),
            "Timeout for receiving a request's head."
        ),
        Setting(
            "timeouts.idle",
            \.timeouts.idle,
            .duration(1...longest),
            "Timeout between two requests on a connection."
        ),
        Setting(
            "timeouts.write",
            \.timeouts.write,
            .duration(1...longest),
            "Timeout for sending a response without progress."
        ),
    ]

    private static let fontFamily = ValueFormat<String>.scalar("a font family's name") { text in
        MarkText.isFont(text) ? text : nil
    } write: {
        .plain($0)
    }

    private static let behaviour: [Setting<Configuration>] = [
        Setting(
            "shutdown.grace",
            \.shutdown.grace,
            .duration(0...longest),
            "Time that requests in progress have to finish when the daemon stops."
        ),
        Setting("log.format", \.log.format, .choice, needsRestart: true, "json, or text for reading in a terminal."),
        Setting("log.level", \.log.level, .choice, "Minimum level of logged events."),
        Setting("log.access", \.log.access, .onOff, needsRestart: true, "Log each request."),
        Setting(
            "log.rate",
            \.log.rate,
            .count(0...10_000_000),
            needsRestart: true,
            "Maximum lines per second in each log; 0 for no limit."
        ),
        Setting(
            "presets",
            \.presets,
            .presets,
            takesEnvironment: false,
            "NAME: \"w=400&fit=cover\" or { query: \"w=400\", cache: memory }; requested with preset=NAME."
        ),
        Setting(
            "fonts",
            \.fonts,
            .list(of: fontFamily),
            "Font families for text watermarks."
        ),
        Setting(
            "workers.count",
            \.workers.count,
            .count(0...256),
            needsRestart: true,
            "Number of worker processes; 0 for one per core plus one, or fewer if memory is short."
        ),
        Setting(
            "workers.memory",
            \.workers.memory,
            .sizeOrAuto(256 << 20...largest),
            needsRestart: true,
            "Address space limit of one worker."
        ),
        Setting(
            "workers.rss",
            \.workers.rss,
            .sizeOrAuto(64 << 20...largest),
            needsRestart: true,
            "Resident memory above which a worker is replaced after its job."
        ),
        Setting(
            "workers.jobs",
            \.workers.jobs,
            .count(1...1_000_000),
            needsRestart: true,
            "Number of jobs after which a worker is replaced."
        ),
        Setting(
            "workers.decode-bytes",
            \.workers.decodeBytes,
            .sizeOrAuto(16 << 20...largest),
            "Maximum bytes of decoded pixels of all running jobs together; further jobs wait."
        ),
        Setting(
            "workers.sandbox",
            \.workers.sandbox,
            .choice,
            needsRestart: true,
            "Confinement of workers: require (no service without seccomp and Landlock), best (what is possible), or off."
        ),
    ]

    private static let avif: [Setting<Configuration>] = [
        Setting("avif.queue", \.avif.queue, .count(1...100_000), "Maximum images waiting for their AVIF.")
    ]

    /// The values to which sizes from client hints are rounded up.
    private static let ladder: [Setting<Configuration>] = [
        Setting(
            "ladder.widths",
            \.ladder.widths,
            .rungs(of: .count(1...ResizeStep.longestSide)),
            "Widths for w=auto, in device pixels, ascending."
        ),
        Setting(
            "ladder.dpr",
            \.ladder.ratios,
            .rungs(of: .ratio),
            "Ratios for dpr=auto, 1 to 4, ascending."
        ),
        Setting(
            "ladder.default-width",
            \.ladder.defaultWidth,
            .count(1...ResizeStep.longestSide),
            "Width for w=auto if the request has no hint."
        ),
    ]
}
