import ImagePipeline
import ImagePlan

/// All keys of one rule.
enum RuleSchema {
    static let table = SettingTable<ConfiguredRule>(
        [
            Setting(
                "name",
                \.name,
                .optional(.text("a name for explanations")),
                "Name in explanations; the rule's number by default."
            )
        ] + matches + changes.map { $0.below(\.change, named: "set.\($0.name)") } + [
            Setting("last", \.isLast, .flag, "Apply no later rule to requests that this one matches.")
        ]
    )

    /// The keys below `match`.
    private static let matches: [Setting<ConfiguredRule>] = [
        Setting("match.source", in: \.match, \.sources, .nonEmptyList(of: name), "Names of sources, or fetch."),
        Setting(
            "match.host",
            in: \.match,
            \.hosts,
            .nonEmptyList(of: .hostPattern),
            "Hosts of the original's URL, with wildcards."
        ),
        Setting(
            "match.path",
            in: \.match,
            \.paths,
            .nonEmptyList(of: .pathGlob),
            "Patterns of the path below the source, such as avatars/**."
        ),
        Setting(
            "match.request-header",
            in: \.match,
            \.requestFields,
            .fieldPatterns,
            "Patterns of the client's header fields, Host among them."
        ),
        Setting(
            "match.type",
            in: \.match,
            \.types,
            .nonEmptyList(of: .imageFormat),
            "Formats of the original, by its first bytes."
        ),
        Setting(
            "match.size.min",
            in: \.match,
            \.sizeMinimum,
            .optional(.size(0...1 << 40)),
            "The least size of the original."
        ),
        Setting(
            "match.size.max",
            in: \.match,
            \.sizeMaximum,
            .optional(.size(0...1 << 40)),
            "The greatest size of the original."
        ),
        Setting(
            "match.response-header",
            in: \.match,
            \.responseFields,
            .fieldPatterns,
            "Patterns of the origin's header fields."
        ),
    ]

    /// The keys below `set`, without the prefix.
    static let changes: [Setting<RuleChange>] =
        SourceSchema.table.settings.filter { sourceKeys.contains($0.name) || isInherited($0.name) }.map { setting in
            setting.below(\.source, named: setting.name)
        } + own

    /// The keys of sources, besides limits, timeouts and qualities, that rules may set; none widens what a source may reach.
    static let sourceKeys: Set<String> = [
        "preset", "ttl", "ttl-min", "ttl-max", "stale-while-revalidate", "stale-if-error", "negative", "cache",
        "placeholder", "ignore-query", "unkeyed-query", "sort-query",
    ]

    private static func isInherited(_ name: String) -> Bool {
        ["limits.", "timeouts.", "quality."].contains { name.hasPrefix($0) }
    }

    /// The keys that only rules have.
    private static let own: [Setting<RuleChange>] = [
        Setting("priority", \.priority, .optional(.choice), "Place in the queues, instead of the client's Priority."),
        Setting(
            "request-headers",
            \.requestFields,
            .requestEdits,
            "Header fields of requests to the origin: NAME: value, or NAME: null to remove one."
        ),
        Setting(
            "response-headers",
            \.responseFields,
            .responseEdits,
            "Header fields of responses to clients: NAME: value, or NAME: null to remove one."
        ),
        Setting("status", \.status, .statuses, "Statuses of the origin that are treated as others: 403: 404."),
        Setting(
            "path",
            \.path,
            .optional(.pathTemplate),
            "Path to request from the origin; $1 is what the first wildcard of match.path stands for."
        ),
        Setting(
            "query",
            \.query,
            .queryEdits,
            "Query parameters for the origin: NAME: value, or NAME: null to remove one."
        ),
        Setting("deny", \.denies, .yes, "Refuse with 403."),
        Setting("allow", \.allows, .yes, "Lift an earlier deny."),
    ]

    private static let name = ValueFormat<String>.scalar("a source's name, or fetch") { text in
        RequestPath.isSourceName(text) ? text : nil
    } write: {
        .plain($0)
    }

    /// Returns a rule as a configuration file would contain it.
    static func yaml(_ rule: ConfiguredRule) -> YAMLValue {
        let settings = table.settings.filter { setting in
            guard setting.name.hasPrefix("set.") else { return setting.name != "last" || rule.isLast }
            return rule.change.states(String(setting.name.dropFirst(4)))
        }
        let blank = ConfiguredRule(change: RuleChange())
        return YAMLValue(
            table: SettingTable(settings.filter { !$0.name.hasPrefix("match.") || $0.differs(rule, blank) }),
            root: rule
        )
    }
}
