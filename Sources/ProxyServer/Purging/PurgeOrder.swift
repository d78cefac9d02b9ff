import ImagePipeline
import ImagePlan

/// A parsed `POST /purge` or `PURGE` request: one target and its options.
struct PurgeOrder: Hashable, Sendable {
    /// The selection to purge.
    enum Target: Hashable, Sendable {
        /// An original with all its variants, by the path of a request or its absolute URL.
        case url(String)
        /// All originals below a prefix of a request path or of an absolute URL.
        case prefix(String)
        /// Everything of a source; `fetch` for remote URLs.
        case source(String)
        /// All originals with at least one of these tags.
        case tags([String])
        /// The variants of a preset, without their originals.
        case preset(String)
        /// All originals that have not been revalidated for this many seconds.
        case olderThan(Int)
        /// All originals that are stale.
        case expired
        case all
    }

    var target: Target
    /// The site's name; `default` for the sources at the file's top, `nil` for what the client's rights are.
    var site: String?
    /// Whether the selection is only marked stale.
    var isSoft = false
    /// Whether the selection is only counted.
    var isDry = false
    /// The only tier to clear; `nil` for all of them.
    var tier: StoredTier?
    /// Whether to respond only when all nodes of the cluster have purged.
    var waitsForAll = false

    private static let names = [
        "url", "prefix", "source", "tag", "preset", "older-than", "expired", "all", "site", "tier", "soft", "dry",
        "wait",
    ]
    static let members = "url, prefix, source, tag, preset, older-than, expired or all"

    /// Reads a JSON object such as `{"url":"/photos/a.jpg"}` (RFC 8259).
    ///
    /// - Parameters:
    ///   - json: the object's text.
    ///   - named: a target given outside of the object, which then must not contain another one.
    /// - Throws: `Problem` 400 that names the invalid member.
    init(json: [UInt8], named: [Target] = []) throws(Problem) {
        let members = try PurgeValue.members(of: json, example: "{\"url\":\"/photos/a.jpg\"}")
        var targets = named
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "url": targets.append(.url(try value.text(name)))
            case "prefix": targets.append(.prefix(try value.text(name)))
            case "source": targets.append(.source(try value.text(name)))
            case "tag": targets.append(.tags(try value.texts(name)))
            case "preset": targets.append(.preset(try value.text(name)))
            case "older-than", "older_than": targets.append(.olderThan(try value.seconds(name)))
            case "expired": if try value.flag(name) { targets.append(.expired) }
            case "tier": tier = try Self.tier(value, name)
            case "all": if try value.flag(name) { targets.append(.all) }
            case "site": site = try value.text(name)
            case "soft": isSoft = try value.flag(name)
            case "dry": isDry = try value.flag(name)
            case "wait": waitsForAll = try Self.wait(try value.text(name))
            default:
                let hint = NearestName.of(name, among: Self.names).map { " Did you mean \($0)?" } ?? ""
                throw Problem(
                    400,
                    "The members of a purge are \(Self.members), and site, tier, soft, dry and wait.\(hint)",
                    parameter: name
                )
            }
        }
        // A tier by itself means all of it.
        if targets.isEmpty, tier != nil { targets = [.all] }
        guard let target = targets.first, targets.count == 1 else {
            throw Problem(400, "A purge needs exactly one of \(Self.members).", parameter: "url")
        }
        self.target = target
        try check()
    }

    init(
        target: Target,
        site: String? = nil,
        isSoft: Bool = false,
        isDry: Bool = false,
        tier: StoredTier? = nil,
        waitsForAll: Bool = false
    ) {
        self.target = target
        self.site = site
        self.isSoft = isSoft
        self.isDry = isDry
        self.tier = tier
        self.waitsForAll = waitsForAll
    }

    /// Reads the value of `wait`.
    private static func wait(_ text: String) throws(Problem) -> Bool {
        guard text == "all" else { throw Problem(400, "wait must be all.", parameter: "wait") }
        return true
    }

    private static func tier(_ value: PurgeValue, _ name: String) throws(Problem) -> StoredTier {
        let text = try value.text(name)
        guard let tier = StoredTier(rawValue: text) else {
            let hint = NearestName.hint(text, among: StoredTier.allCases.map(\.rawValue))
            throw Problem(400, "tier must be memory or disk\(hint)", parameter: name)
        }
        return tier
    }

    /// - Throws: `Problem` 400 if the options do not fit the target.
    func check() throws(Problem) {
        if case .preset = target, isSoft {
            throw Problem(400, "soft marks originals, so it cannot be combined with preset.", parameter: "soft")
        }
        if isSoft, tier != nil {
            throw Problem(
                400,
                "soft marks originals in all tiers, so it cannot be combined with tier.",
                parameter: "soft"
            )
        }
        if waitsForAll, isDry || tier != nil {
            throw Problem(
                400,
                "wait is for purges of all nodes, so it cannot be combined with dry or tier, which are of this one.",
                parameter: "wait"
            )
        }
        if case .expired = target, isSoft {
            throw Problem(400, "What has expired is stale already, so soft has no effect.", parameter: "soft")
        }
    }

    /// The equivalent JSON object.
    var json: JSONValue {
        let member: JSONValue.Member =
            switch target {
            case .url(let url): .init("url", .string(url))
            case .prefix(let text): .init("prefix", .string(text))
            case .source(let name): .init("source", .string(name))
            case .tags(let tags) where tags.count == 1: .init("tag", .string(tags[0]))
            case .tags(let tags): .init("tag", .array(tags.map { .string($0) }))
            case .preset(let name): .init("preset", .string(name))
            case .olderThan(let seconds): .init("older-than", .number(seconds))
            case .expired: .init("expired", .bool(true))
            case .all: .init("all", .bool(true))
            }
        let ways: [JSONValue.Member] = [isSoft ? "soft" : nil, isDry ? "dry" : nil].compactMap { name in
            name.map { .init($0, .bool(true)) }
        }
        let wait = waitsForAll ? "all" : nil
        let places: [JSONValue.Member] = [("site", site), ("tier", tier?.rawValue), ("wait", wait)].compactMap {
            name,
            value in
            value.map { .init(name, .string($0)) }
        }
        return .object([member] + places + ways)
    }

    /// Parses a duration such as `7d` or `90m` to seconds; `nil` if it is invalid.
    static func age(_ text: String) -> Int? { ScaledNumber.parse(text, units: ScaledNumber.seconds, bare: nil) }
}
