import ImagePipeline
import ImagePlan

/// Every key of one source.
enum SourceSchema {
    /// A source while it is read.
    struct Draft: Sendable {
        var rule: SourceRule
        /// `nil` until a `url` was read.
        var location: SourceRule.Location?
        var preset: String?
        /// Of `auth.basic`, the password beside it, and `auth.bearer`; one of the two ways.
        var user: String?
        var password: Secret?
        var bearer: Secret?

        /// What is known of a source.
        init(rule: SourceRule, location: SourceRule.Location? = nil, preset: String? = nil) {
            self.rule = rule
            self.location = location
            self.preset = preset
            switch rule.credentials {
            case .basic(let user, let password): (self.user, self.password) = (user, Secret(password))
            case .bearer(let token): bearer = Secret(token)
            case nil: break
            }
        }

        /// What `auth` comes to; `nil` where nothing or too little is said.
        var credentials: OriginCredentials? {
            if let bearer { return .bearer(bearer.value) }
            guard let user, let password else { return nil }
            return .basic(user: user, password: password.value)
        }
    }

    static let table = SettingTable<Draft>(place + behaviour + overrides + unsupported)

    private static let place: [Setting<Draft>] = [
        Setting("url", \.location, .location, "Where the originals are: http://, https:// or file://."),
        Setting(
            "allow-private",
            \.rule.allowPrivate,
            .flag,
            "Whether its addresses may be loopback, private or link-local."
        ),
        Setting("headers", \.rule.headers, .headers, takesEnvironment: false, "Header fields for the origin."),
        Setting(
            "auth.basic.user",
            \.user,
            .optional(.text("a user without a colon")),
            "The user that the origin is shown (RFC 7617)."
        ),
        Setting("auth.basic.password", \.password, .optional(.password), "The user's password."),
        Setting("auth.bearer", \.bearer, .optional(.token), "A token that the origin is shown (RFC 6750)."),
        Setting("connections", \.rule.connections, .count(1...1_000), "The most connections to one host at a time."),
    ]

    private static let behaviour: [Setting<Draft>] = [
        Setting("forward-query", \.rule.forwardQuery, .list(of: parameterName), "Query parameters that go upstream."),
        Setting("ignore-query", \.rule.ignoreQuery, .list(of: parameterName), "Query parameters that are dropped."),
        Setting("ttl", \.rule.ttl, .seconds, "Freshness where the origin says nothing."),
        Setting("ttl-min", \.rule.ttlMinimum, .seconds, "The least freshness, whatever the origin says."),
        Setting(
            "ttl-max",
            \.rule.ttlMaximum,
            .secondsOrNone,
            "The most freshness, whatever the origin says; none for no bound."
        ),
        Setting(
            "preset",
            \.preset,
            .optional(.text("a preset's name")),
            "The preset that stands first in each request."
        ),
        Setting("originals", \.rule.originals, .choice, "What the bare original answers: serve, clean or refuse."),
    ]

    private static let overrides: [Setting<Draft>] = [
        Setting(
            "limits.pixels",
            \.rule.limits.pixels,
            .pixels(1...10_000_000_000),
            "As limits.pixels, for this source."
        ),
        Setting("limits.frames", \.rule.limits.frames, .count(1...100_000), "As limits.frames, for this source."),
        Setting("limits.source-bytes", \.rule.limits.sourceBytes, .size(1_024...4 << 30), "As limits.source-bytes."),
        Setting("limits.redirects", \.rule.limits.redirects, .count(0...20), "As limits.redirects, for this source."),
        Setting("timeouts.connect", \.rule.timeouts.connect, duration, "As timeouts.connect, for this source."),
        Setting("timeouts.first-byte", \.rule.timeouts.firstByte, duration, "As timeouts.first-byte, for this source."),
        Setting("timeouts.total", \.rule.timeouts.total, duration, "As timeouts.total, for this source."),
        Setting("timeouts.transform", \.rule.timeouts.transform, duration, "As timeouts.transform, for this source."),
        Setting("quality.jpeg", \.rule.quality.jpeg, .count(1...100), "As quality.jpeg, for this source."),
        Setting("quality.webp", \.rule.quality.webp, .count(1...100), "As quality.webp, for this source."),
        Setting("quality.avif", \.rule.quality.avif, .count(1...100), "As quality.avif, for this source."),
    ]

    private static let unsupported: [Setting<Draft>] = [
        .fixed("raw", .flag, false, "Whether the source is a plain HTTP proxy for any content."),
        .fixed("cache", .text("all, memory, disk or none"), "all", "Which tiers keep its pictures."),
        .missing("region", "The region of an s3:// bucket."),
        .missing("fallback", "The picture that is served when the origin fails."),
        .missing("placeholder", "The picture that is served while the origin is asked."),
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
        let draft = Draft(rule: source.rule, location: source.rule.location, preset: source.preset)
        return YAMLValue(table: table, root: draft)
    }
}
