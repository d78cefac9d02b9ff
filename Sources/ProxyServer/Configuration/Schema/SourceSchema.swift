import ImagePipeline
import ImagePlan

/// Every key of one source.
enum SourceSchema {
    static let table = SettingTable<Draft>(place + behaviour + overrides)

    private static let place: [Setting<Draft>] = [
        Setting("url", \.location, .location, "Where the originals are: http://, https://, s3:// or file://."),
        Setting(
            "allow-private",
            \.rule.allowPrivate,
            .flag,
            "Whether its addresses may be loopback, private or link-local."
        ),
        Setting("headers", \.rule.headers, .headers, takesEnvironment: false, "Header fields for the origin."),
        Setting("auth.basic.user", \.auth.user, .optional(.user), "The user that the origin is shown (RFC 7617)."),
        Setting("auth.basic.password", \.auth.password, .optional(.password), "The user's password."),
        Setting("auth.bearer", \.auth.bearer, .optional(.credential), "A token that the origin is shown (RFC 6750)."),
        Setting("auth.access-key", \.auth.accessKey, .optional(.accessKeyID), "The id of an s3:// bucket's keys."),
        Setting("auth.secret-key", \.auth.secretKey, .optional(.credential), "The secret that signs requests."),
        Setting("auth.session-token", \.auth.sessionToken, .optional(.credential), "The token of keys for a time."),
        Setting("region", \.region, .optional(.region), "The region of an s3:// bucket."),
        Setting("endpoint", \.endpoint, .optional(.endpoint), "Where the store of an s3:// bucket is; AWS by default."),
        Setting("connections", \.rule.connections, .count(1...1_000), "The most connections to one host at a time."),
    ]

    private static let behaviour: [Setting<Draft>] = [
        Setting("forward-query", \.rule.forwardQuery, .list(of: parameterName), "Query parameters that go upstream."),
        Setting("ignore-query", \.rule.ignoreQuery, .list(of: parameterName), "Query parameters that are dropped."),
        Setting("raw", \.rule.isRaw, .flag, "Whether the source is a plain HTTP proxy for any content."),
        Setting(
            "methods",
            \.rule.methods,
            .list(of: .method),
            "Methods that it takes then beside GET, HEAD and OPTIONS."
        ),
        Setting(
            "set-cookie",
            \.rule.setCookie,
            .choice,
            "Whether its answers with Set-Cookie are stored: refuse, or store."
        ),
        Setting(
            "negative",
            \.rule.negative,
            .onOff,
            "Whether failures of its origin are remembered, for the times of negative."
        ),
        Setting("ttl", \.rule.ttl, .seconds, "Freshness where the origin says nothing."),
        Setting("ttl-min", \.rule.ttlMinimum, .seconds, "The least freshness, whatever the origin says."),
        Setting(
            "ttl-max",
            \.rule.ttlMaximum,
            .secondsOrNone,
            "The most freshness, whatever the origin says; none for no bound."
        ),
        Setting(
            "stale-while-revalidate",
            \.rule.staleWhileRevalidate,
            .seconds,
            "Stale pictures are served so long while the origin is asked."
        ),
        Setting(
            "stale-if-error",
            \.rule.staleIfError,
            .seconds,
            "Stale pictures are served so long when the origin fails."
        ),
        Setting(
            "preset",
            \.preset,
            .optional(.text("a preset's name")),
            "The preset that stands first in each request."
        ),
        Setting(
            "fallback.image",
            \.fallbackImage,
            .optional(.text("a path of this daemon such as /static/missing.png")),
            "The picture that stands in where the original cannot be had."
        ),
        Setting(
            "fallback.status",
            \.fallbackStatus,
            .fallbackStatus,
            "The status of such answers: 200, or an error's."
        ),
        Setting("fallback.ttl", \.fallbackTTL, .seconds, "How long clients may keep them."),
        Setting(
            "cache",
            \.rule.cache,
            .cachePolicy,
            "Which tiers keep what comes of it: all, memory, disk or none; or for each."
        ),
        Setting(
            "mezzanine",
            \.rule.keepsMezzanines,
            .flag,
            "Whether large originals are kept smaller as well, so that they are decoded once."
        ),
        Setting("originals", \.rule.originals, .choice, "What the bare original answers: serve, clean or refuse."),
        Setting(
            "no-transform",
            \.rule.noTransform,
            .choice,
            "What Cache-Control: no-transform of the origin comes to: ignore it, or obey and answer the original as it is."
        ),
        Setting(
            "client-hints",
            \.rule.clientHints,
            .list(of: .choice),
            "Fields of the request that w=auto and dpr=auto go by: width, dpr, viewport-width."
        ),
        Setting(
            "placeholder",
            \.rule.placeholder,
            .choice,
            "What of a picture is told beside it: none, or in headers what a page can show before it has come."
        ),
        Setting(
            "auto",
            \.rule.autoFormat,
            .choice,
            "What format=auto answers: what the client accepts first, or what comes out smallest of it."
        ),
    ]

    private static let overrides: [Setting<Draft>] = [
        Setting(
            "limits.pixels",
            \.rule.limits.pixels,
            .pixels(1...10_000_000_000),
            "As limits.pixels, for this source."
        ),
        Setting("limits.frames", \.rule.limits.frames, .count(1...100_000), "As limits.frames, for this source."),
        Setting(
            "limits.animation",
            \.rule.limits.animation,
            .pixels(1...10_000_000_000),
            "As limits.animation, for this source."
        ),
        Setting("limits.source-bytes", \.rule.limits.sourceBytes, .size(1_024...4 << 30), "As limits.source-bytes."),
        Setting("limits.redirects", \.rule.limits.redirects, .count(0...20), "As limits.redirects, for this source."),
        Setting(
            "limits.ingredients",
            \.rule.limits.ingredients,
            .count(0...WorkerMessage.maximumIngredients),
            "As limits.ingredients, for this source."
        ),
        Setting("timeouts.connect", \.rule.timeouts.connect, duration, "As timeouts.connect, for this source."),
        Setting("timeouts.first-byte", \.rule.timeouts.firstByte, duration, "As timeouts.first-byte, for this source."),
        Setting("timeouts.total", \.rule.timeouts.total, duration, "As timeouts.total, for this source."),
        Setting("timeouts.transform", \.rule.timeouts.transform, duration, "As timeouts.transform, for this source."),
        Setting("quality.jpeg", \.rule.quality.jpeg, .count(1...100), "As quality.jpeg, for this source."),
        Setting("quality.webp", \.rule.quality.webp, .count(1...100), "As quality.webp, for this source."),
        Setting("quality.avif", \.rule.quality.avif, .count(1...100), "As quality.avif, for this source."),
        Setting("quality.distance", \.rule.quality.distance, .distance, "As quality.distance, for this source."),
        Setting("quality.save-data", \.rule.saveDataStep, .count(0...99), "As quality.save-data, for this source."),
        Setting("formats.pdf", \.rule.formats.pdf, .onOff, "As formats.pdf, for this source."),
        Setting("avif.auto", \.rule.avif.isAuto, .onOff, "As avif.auto, for this source."),
        Setting("avif.budget", \.rule.avif.budget, .duration(0...ConfigurationSchema.longest), "As avif.budget."),
        Setting("avif.effort", \.rule.quality.avifEffort, .count(EncodingSettings.efforts), "As avif.effort."),
        Setting("avif.stand-in", \.rule.avif.standInLifetime, .seconds, "As avif.stand-in, for this source."),
    ]

    private static let duration = ValueFormat<Int>.duration(1...ConfigurationSchema.longest)

    /// A query parameter's name, as it stands in a query.
    private static let parameterName = ValueFormat<String>.scalar("a query parameter's name") { text in
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#?%+".utf8.contains($0) } ? text : nil
    } write: {
        .quoted($0)
    }

    /// A source as the file would say it.
    static func yaml(_ source: ConfiguredSource) -> YAMLValue {
        let draft = Draft(
            rule: source.rule,
            location: source.rule.location,
            preset: source.preset,
            fallback: source.fallback
        )
        return YAMLValue(table: table, root: draft)
    }
}
