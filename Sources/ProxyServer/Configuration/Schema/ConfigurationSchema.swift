import HTTPCache
import ImagePipeline
import ImagePlan

/// Every key of the configuration file but those of a source.
enum ConfigurationSchema {
    /// The longest time that may be said for a timeout.
    static let longest = 3_600_000
    private static let largest = 1 << 50

    static let root = SettingTable<Configuration>(
        listeners + content + storage + InheritedSetting.top("limits") + limits + InheritedSetting.top("timeouts")
            + timeouts + transfers
            + InheritedSetting.top("quality") + InheritedSetting.top("formats") + behaviour + answers + webp
            + InheritedSetting.top("avif") + avif + ladder
    )

    private static let listeners: [Setting<Configuration>] = [
        Setting(
            "listen",
            \.listen,
            .nonEmptyList(of: .address),
            needsRestart: true,
            "Where the public listener is: HOST:PORT, unix:/PATH, or a list of these."
        ),
        Setting(
            "admin.listen",
            \.admin.listen,
            .addressesOrOff,
            needsRestart: true,
            "Where health, metrics and administration are, or a list of such places; off to disable."
        ),
        Setting("admin.token", \.admin.token, .token, "Bearer token; required when admin listens beyond loopback."),
    ]

    private static let content: [Setting<Configuration>] = [
        .deferred("sources", "GET /NAME/PATH asks url + PATH.") { configuration in
            .map(configuration.sources.map { ($0.rule.name, SourceSchema.yaml($0)) })
        } differs: {
            $0.sources != $1.sources
        },
        Setting(
            "remote.allow",
            \.remote.allow,
            .list(of: .hostPattern),
            "Hosts that unsigned /fetch?url= requests may ask."
        ),
        Setting(
            "remote.allow-private",
            \.remote.allowPrivate,
            .flag,
            "Whether /fetch may reach loopback and private addresses."
        ),
        Setting("remote.raw", \.remote.raw, .flag, "Whether /fetch is a plain HTTP proxy for any content."),
        Setting("remote.no-transform", \.remote.noTransform, .choice, "As a source's no-transform, for /fetch."),
        Setting("signing.keys", \.signing.keys, .list(of: .signingKey), "Keys; the first signs, all verify."),
        Setting("signing.required", \.signing.required, .flag, "Whether every request needs a signature."),
        Setting(
            "purge.allow",
            \.purge.allow,
            .list(of: .addressRange),
            "Clients that may send PURGE to the public listener; empty: nobody."
        ),
        Setting(
            "proxies.trust",
            \.proxies.trust,
            .list(of: .addressRange),
            needsRestart: true,
            "Proxies in front whose X-Forwarded-For counts."
        ),
        Setting(
            "proxies.proxy-protocol",
            \.proxies.proxyProtocol,
            .onOff,
            needsRestart: true,
            "Whether their connections begin with a PROXY protocol header."
        ),
    ]

    private static let storage: [Setting<Configuration>] = [
        Setting(
            "cache.path",
            \.cache.path,
            .text("a folder's path"),
            needsRestart: true,
            "The folder of the disk cache."
        ),
        Setting("cache.memory", \.cache.memory, .size(0...largest), "Encoded pictures kept in memory; 0 for none."),
        Setting(
            "cache.memory-pressure",
            \.cache.memoryPressure,
            .onOff,
            "Whether these give way while memory is short."
        ),
        Setting("cache.originals", \.cache.originals, .size(1 << 20...largest), "Disk quota for downloads."),
        Setting("cache.variants", \.cache.variants, .size(1 << 20...largest), "Disk quota for results."),
        Setting(
            "cache.min-free",
            \.cache.minimumFree,
            .size(0...largest),
            "Bytes of the file system that the disk cache leaves to others; 0 for none."
        ),
        Setting(
            "cache.max-age",
            \.cache.maximumAge,
            .duration(0...10 * 365 * 86_400_000),
            "How long entries stay on disk that nobody asks for; 0s for as long as there is room."
        ),
        Setting(
            "cache.seed",
            \.cache.seed,
            .text("a folder's path", isEmptyAllowed: true),
            needsRestart: true,
            "A cache folder filled before, looked at after cache.path and never written; empty for none."
        ),
        Setting("negative.missing", \.negative.missing, .seconds, "How long a 404 or 410 counts; 0 for not at all."),
        Setting("negative.denied", \.negative.denied, .seconds, "How long a 401 or 403 of the origin counts."),
        Setting("negative.undecodable", \.negative.undecodable, .seconds, "How long a broken picture counts."),
        Setting(
            "negative.failing",
            \.negative.failing,
            .seconds,
            "The first pause after an origin's failure; doubles."
        ),
        Setting("negative.failing-max", \.negative.failingMaximum, .seconds, "The longest such pause."),
        Setting("negative.entries", \.negative.entries, .count(0...10_000_000), "Failures that are remembered."),
    ]

    private static let limits: [Setting<Configuration>] = [
        Setting(
            "limits.request-body",
            \.limits.requestBody,
            .size(1_024...1 << 30),
            needsRestart: true,
            "The largest content of a request, as raw sources take it."
        ),
        Setting("limits.connections", \.limits.connections, .count(1...1_000_000), "Open client connections."),
        Setting("limits.waiters", \.limits.waiters, .count(1...1_000_000), "Requests that may wait for one picture."),
        Setting("limits.queue", \.limits.queue, .count(1...1_000_000), "Transforms that may wait for a worker."),
    ]

    private static let timeouts: [Setting<Configuration>] = [
        Setting("timeouts.header", \.timeouts.header, .duration(1...longest), "For a request's head."),
        Setting("timeouts.idle", \.timeouts.idle, .duration(1...longest), "Between two requests of a connection."),
        Setting("timeouts.write", \.timeouts.write, .duration(1...longest), "Without progress of an answer."),
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
            "For requests under way when the daemon ends."
        ),
        Setting("log.format", \.log.format, .choice, needsRestart: true, "json, or text for people's eyes."),
        Setting("log.level", \.log.level, .choice, "The least severe event that is written."),
        Setting("log.access", \.log.access, .onOff, needsRestart: true, "Whether each request has a line."),
        Setting(
            "log.rate",
            \.log.rate,
            .count(0...10_000_000),
            needsRestart: true,
            "Lines a second of each log; 0 for no bound."
        ),
        Setting(
            "presets",
            \.presets,
            .presets,
            takesEnvironment: false,
            "NAME: \"w=400&fit=cover\" or { query: \"w=400\", cache: memory }, asked with preset=NAME."
        ),
        Setting(
            "fonts",
            \.fonts,
            .list(of: fontFamily),
            "Font families that texts of watermarks may be drawn in."
        ),
        Setting(
            "workers.count",
            \.workers.count,
            .count(0...256),
            needsRestart: true,
            "Transform processes; 0 for one a core and one more."
        ),
        Setting(
            "workers.memory",
            \.workers.memory,
            .size(256 << 20...largest),
            needsRestart: true,
            "Address space of one worker."
        ),
        Setting(
            "workers.rss",
            \.workers.rss,
            .size(64 << 20...largest),
            needsRestart: true,
            "Resident memory above which a worker is replaced."
        ),
        Setting(
            "workers.jobs",
            \.workers.jobs,
            .count(1...1_000_000),
            needsRestart: true,
            "Jobs after which a worker is replaced."
        ),
    ]

    private static let avif: [Setting<Configuration>] = [
        Setting("avif.queue", \.avif.queue, .count(1...100_000), "Pictures that may wait for their AVIF.")
    ]

    /// What answers say beside the picture.
    private static let answers: [Setting<Configuration>] = [
        Setting(
            "answers.server-timing",
            \.answers.serverTiming,
            .onOff,
            "Whether answers tell how long the stages behind them took (Server-Timing)."
        ),
        Setting(
            "answers.cors",
            \.answers.cors,
            .crossOrigin,
            "Whose scripts may read answers and their timing: *, one origin, or off."
        ),
    ]

    /// What client hints come to.
    private static let ladder: [Setting<Configuration>] = [
        Setting(
            "ladder.widths",
            \.ladder.widths,
            .rungs(of: .count(1...ResizeStep.longestSide)),
            "Widths that w=auto comes to, in device pixels."
        ),
        Setting(
            "ladder.dpr",
            \.ladder.ratios,
            .rungs(of: .ratio),
            "Ratios that dpr=auto comes to, 1 to 4."
        ),
        Setting(
            "ladder.default-width",
            \.ladder.defaultWidth,
            .count(1...ResizeStep.longestSide),
            "What w=auto is where no field tells a width."
        ),
    ]
}
