import Dialects
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// All keys of one source.
enum SourceSchema {
    static let table = SettingTable<Draft>(place + behaviour + slowMisses + route + InheritedSetting.all.map(\.source))

    private static let place: [Setting<Draft>] = [
        Setting("url", \.location, .location, "Location of the originals: http://, https://, s3:// or file://."),
        Setting(
            "mirrors",
            \.mirrors,
            .list(of: .mirror),
            "Further locations of the same originals, which are asked in turn while url fails."
        ),
        Setting(
            "allow-private",
            \.rule.allowPrivate,
            .flag,
            "Allow loopback, private and link-local addresses."
        ),
        Setting(
            "headers",
            \.rule.headers,
            .headers,
            takesEnvironment: false,
            "Extra request header fields for the origin."
        ),
        Setting(
            "auth.basic.user",
            \.auth.user,
            .optional(.user),
            "User name for Basic authentication at the origin (RFC 7617)."
        ),
        Setting("auth.basic.password", \.auth.password, .optional(.password), "Password for Basic authentication."),
        Setting("auth.bearer", \.auth.bearer, .optional(.credential), "Bearer token for the origin (RFC 6750)."),
        Setting("auth.access-key", \.auth.accessKey, .optional(.accessKeyID), "Access key ID for an s3:// bucket."),
        Setting(
            "auth.secret-key",
            \.auth.secretKey,
            .optional(.credential),
            "Secret key that signs requests to an s3:// bucket."
        ),
        Setting("auth.session-token", \.auth.sessionToken, .optional(.credential), "Session token of temporary keys."),
        Setting("region", \.region, .optional(.region), "Region of an s3:// bucket."),
        Setting("endpoint", \.endpoint, .optional(.endpoint), "Endpoint of an s3:// bucket's store; AWS by default."),
        Setting(
            "decrypt",
            \.decrypt,
            .decryption,
            only: .pictures,
            "How the bodies of originals are decoded: none, base64, aes-256-gcm or aes-256-cbc."
        ),
        Setting(
            "decrypt-key",
            \.decryptKey,
            .optional(.text("the name of a key")),
            only: .pictures,
            "The name of the key of decrypt."
        ),
        Setting("connections", \.rule.connections, .count(1...1_000), "Maximum concurrent connections to one host."),
        Setting(
            "continue",
            \.rule.continues,
            .continuation,
            "Downloads that all clients have left: always, { past: 75% } or { past: 256KiB } of them received, or never."
        ),
    ]

    private static let behaviour: [Setting<Draft>] = [
        Setting(
            "forward-query",
            \.rule.forwardQuery,
            .list(of: .parameterPattern),
            only: .pictures,
            "Query parameters that are forwarded to the origin: names, or patterns with *."
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
            .list(of: .parameterPattern),
            only: .pictures,
            "Query parameters that are ignored: names, or patterns with *."
        ),
        Setting(
            "unkeyed-query",
            \.rule.unkeyedQuery,
            .list(of: .parameterPattern),
            only: .pictures,
            "Query parameters that are forwarded to the origin and are not part of the cache key."
        ),
        Setting(
            "sort-query",
            \.rule.sortsQuery,
            .flag,
            only: .pictures,
            "Sort forwarded query parameters by name, so that their order makes no difference."
        ),
        Setting(
            "scale-suffix",
            \.rule.readsScaleSuffix,
            .flag,
            only: .pictures,
            "Read @2x and @3x before a file's extension as dpr=2 and dpr=3, and request the file without it."
        ),
        Setting(
            "path-style",
            \.reading.isPathStyle,
            .flag,
            only: .pictures,
            "Read a first segment with a = as parameters, /NAME/w=400,h=300/PATH, like those of the query."
        ),
        Setting(
            "dialect",
            \.reading.dialect,
            .dialect,
            only: .pictures,
            "Another server's language that paths are in: none, imgproxy, thumbor, imagor, weserv or cloudflare."
        ),
        Setting(
            "dialect-source",
            \.reading.dialectSource,
            .optional(.text("the name of a source")),
            only: .pictures,
            "The source that requests in this language are for, instead of a url."
        ),
        Setting("raw", \.rule.isRaw, .flag, "Make the source a plain HTTP cache for any content."),
        Setting(
            "methods",
            \.rule.methods,
            .list(of: .method),
            only: .raw,
            "Methods that a raw source accepts besides GET, HEAD and OPTIONS."
        ),
        Setting(
            "set-cookie",
            \.rule.setCookie,
            .choice,
            only: .raw,
            "Store responses of a raw source that have Set-Cookie: refuse, or store."
        ),
        Setting("negative", \.rule.negative, .onOff, "Cache failures of the origin, for the times of negative."),
        Setting("ttl", \.rule.ttl, .seconds, only: .pictures, "Freshness lifetime of responses without one."),
        Setting(
            "ttl-min",
            \.rule.ttlMinimum,
            .seconds,
            only: .pictures,
            "Lower bound for the origin's freshness lifetime."
        ),
        Setting(
            "ttl-max",
            \.rule.ttlMaximum,
            .secondsOrNone,
            only: .pictures,
            "Upper bound for the origin's freshness lifetime; none for no bound."
        ),
        Setting(
            "stale-while-revalidate",
            \.rule.staleWhileRevalidate,
            .seconds,
            "How long a stale image is served while it is revalidated."
        ),
        Setting(
            "stale-if-error",
            \.rule.staleIfError,
            .seconds,
            "How long a stale image is served in place of a failure."
        ),
        Setting(
            "preset",
            \.preset,
            .optional(.text("the name of a preset")),
            only: .pictures,
            "Preset that is applied first to every request."
        ),
        Setting(
            "fallback.image",
            \.fallbackImage,
            .optional(.text("a path on this server such as /static/missing.png, or a data: URL")),
            only: .pictures,
            "Image that replaces an unavailable original."
        ),
        Setting(
            "fallback.status",
            \.fallbackStatus,
            .fallbackStatus,
            only: .pictures,
            "Status of responses with the fallback image: 200, or that of an error."
        ),
        Setting(
            "fallback.ttl",
            \.fallbackTTL,
            .seconds,
            only: .pictures,
            "Lifetime of responses with the fallback image."
        ),
        Setting(
            "cache",
            \.rule.cache,
            .cachePolicy,
            "Cache tiers: all, memory, disk or none; or a map that sets results and originals apart."
        ),
        Setting(
            "mezzanine",
            \.rule.keepsMezzanines,
            .flag,
            only: .pictures,
            "Store reduced copies of large originals, so that they are decoded once."
        ),
        Setting(
            "isolate",
            \.rule.isolation,
            .choice(of: [.none, .source, .site]),
            only: .pictures,
            "Worker processes that images of others never use: those of the source, of the site, or none."
        ),
        Setting(
            "serialize",
            \.rule.serialization,
            .choice,
            only: .pictures,
            "How originals are stored: none as received, lossless large BMP, TIFF and PNG smaller, jxl also JPEG; not of files."
        ),
        Setting(
            "unsigned",
            \.rule.unsigned,
            .unsignedUse,
            only: .pictures,
            "What requests without a signature may ask: any, none, or a map of limits."
        ),
        Setting(
            "originals",
            \.rule.originals,
            .choice,
            only: .pictures,
            "Response to a request without parameters: serve, clean or refuse."
        ),
        Setting(
            "no-transform",
            \.rule.noTransform,
            .choice,
            only: .pictures,
            "Treatment of the origin's Cache-Control: no-transform: ignore, or obey and serve the unchanged original."
        ),
        Setting(
            "unsupported",
            \.rule.unsupported,
            .choice,
            only: .pictures,
            "Treatment of content that is no image of a format that the source reads: refuse it, or pass it on unchanged."
        ),
        Setting(
            "client-hints",
            \.rule.clientHints,
            .list(of: .choice),
            only: .pictures,
            "Client hints that w=auto and dpr=auto use: width, dpr, viewport-width."
        ),
        Setting(
            "placeholder",
            \.rule.placeholder,
            .choice,
            only: .pictures,
            "Placeholder data in response header fields: headers, or none."
        ),
        Setting(
            "auto",
            \.rule.autoFormat,
            .choice,
            only: .pictures,
            "How format=auto chooses: the best accepted format (accept), or the smallest file (smallest)."
        ),
    ]

    /// A cookie's name (RFC 6265 §4.1.1).
    private static let cookieName = ValueFormat<String>.scalar("a cookie's name") { text in
        FieldSyntax.isToken(text) ? text : nil
    } write: {
        .quoted($0)
    }

    /// Returns a source as a configuration file would contain it.
    static func yaml(_ source: ConfiguredSource) -> YAMLValue {
        let draft = Draft(
            rule: source.rule,
            location: source.rule.location,
            preset: source.preset,
            fallback: source.fallback,
            reading: source.reading
        )
        // A source of another one's images has no further settings.
        if let base = source.reading.dialectSource {
            let dialect = source.reading.dialect?.rawValue ?? "none"
            return .map([("dialect", .plain(dialect)), ("dialect-source", .quoted(base))])
        }
        return YAMLValue(table: table, root: draft)
    }
}
