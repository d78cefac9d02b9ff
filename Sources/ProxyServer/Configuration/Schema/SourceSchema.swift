import ImagePipeline
import ImagePlan

/// Every key of one source.
enum SourceSchema {
    static let table = SettingTable<Draft>(place + behaviour + route + InheritedSetting.all.map(\.source))

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
        Setting(
            "forward-query",
            \.rule.forwardQuery,
            .list(of: parameterName),
            only: .pictures,
            "Query parameters that go upstream."
        ),
        Setting(
            "forward-cookies",
            \.rule.forwardCookies,
            .list(of: cookieName),
            only: .pictures,
            "Cookies of clients that go upstream; pictures are then kept for each value, and are private."
        ),
        Setting(
            "ignore-query",
            \.rule.ignoreQuery,
            .list(of: parameterName),
            only: .pictures,
            "Query parameters that are dropped."
        ),
        Setting("raw", \.rule.isRaw, .flag, "Whether the source is a plain HTTP proxy for any content."),
        Setting(
            "methods",
            \.rule.methods,
            .list(of: .method),
            only: .raw,
            "Methods that it takes then beside GET, HEAD and OPTIONS."
        ),
        Setting(
            "set-cookie",
            \.rule.setCookie,
            .choice,
            only: .raw,
            "Whether its answers with Set-Cookie are stored: refuse, or store."
        ),
        Setting("negative", \.rule.negative, .onOff, "Whether failures of the origin are remembered (negative)."),
        Setting("ttl", \.rule.ttl, .seconds, only: .pictures, "Freshness where the origin says nothing."),
        Setting(
            "ttl-min",
            \.rule.ttlMinimum,
            .seconds,
            only: .pictures,
            "The least freshness, whatever the origin says."
        ),
        Setting(
            "ttl-max",
            \.rule.ttlMaximum,
            .secondsOrNone,
            only: .pictures,
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
            only: .pictures,
            "The preset that stands first in each request."
        ),
        Setting(
            "fallback.image",
            \.fallbackImage,
            .optional(.text("a path of this daemon such as /static/missing.png")),
            only: .pictures,
            "The picture that stands in where the original cannot be had."
        ),
        Setting(
            "fallback.status",
            \.fallbackStatus,
            .fallbackStatus,
            only: .pictures,
            "The status of such answers: 200, or an error's."
        ),
        Setting("fallback.ttl", \.fallbackTTL, .seconds, only: .pictures, "How long clients may keep them."),
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
            only: .pictures,
            "Whether large originals are kept smaller as well, so that they are decoded once."
        ),
        Setting(
            "originals",
            \.rule.originals,
            .choice,
            only: .pictures,
            "What the bare original answers: serve, clean or refuse."
        ),
        Setting(
            "no-transform",
            \.rule.noTransform,
            .choice,
            only: .pictures,
            "What Cache-Control: no-transform of the origin comes to: ignore it, or obey and answer the original as it is."
        ),
        Setting(
            "client-hints",
            \.rule.clientHints,
            .list(of: .choice),
            only: .pictures,
            "Fields of the request that w=auto and dpr=auto go by: width, dpr, viewport-width."
        ),
        Setting(
            "placeholder",
            \.rule.placeholder,
            .choice,
            only: .pictures,
            "What of a picture is told beside it: none, or in headers what a page can show before it has come."
        ),
        Setting(
            "auto",
            \.rule.autoFormat,
            .choice,
            only: .pictures,
            "What format=auto answers: what the client accepts first, or what comes out smallest of it."
        ),
    ]

    /// A query parameter's name, as it stands in a query.
    private static let parameterName = ValueFormat<String>.scalar("a query parameter's name") { text in
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#?%+".utf8.contains($0) } ? text : nil
    } write: {
        .quoted($0)
    }

    /// A cookie's name (RFC 6265 §4.1.1).
    private static let cookieName = ValueFormat<String>.scalar("a cookie's name") { text in
        let isToken = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        return isToken && !text.isEmpty ? text : nil
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
