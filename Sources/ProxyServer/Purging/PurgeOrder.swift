import Foundation
import ImagePlan

/// What `POST /purge` or a `PURGE` request is asked to do: one target, and how.
struct PurgeOrder: Hashable, Sendable {
    /// What goes.
    enum Target: Hashable, Sendable {
        /// A request's path, or an origin's absolute URL: the original and all its variants.
        case url(String)
        /// What a request's path, or an origin's absolute URL, begins with.
        case prefix(String)
        /// All of a source; `fetch` for remote URLs.
        case source(String)
        /// All that the origin has marked with one of these tags.
        case tags([String])
        /// The pictures of a preset; originals stay.
        case preset(String)
        /// All that the origin has not been asked about for so many seconds.
        case olderThan(Int)
        case all
    }

    var target: Target
    /// Whether it only counts as stale.
    var isSoft = false
    /// Whether it is only counted.
    var isDry = false

    private static let names = ["url", "prefix", "source", "tag", "preset", "older_than", "all", "soft", "dry"]
    static let members = "url, prefix, source, tag, preset, older_than or all"

    /// Reads a JSON object such as `{"url":"/photos/a.jpg"}` (RFC 8259).
    ///
    /// - Parameters:
    ///   - json: the object's text.
    ///   - named: what was named beside the object, which then names nothing else.
    /// - Throws: `Problem` 400, naming the member that is wrong.
    init(json: [UInt8], named: [Target] = []) throws(Problem) {
        guard let members = try? JSONDecoder().decode([String: PurgeValue].self, from: Data(json)) else {
            throw Problem(400, "The body is no JSON object such as {\"url\":\"/photos/a.jpg\"}.")
        }
        var targets = named
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "url": targets.append(.url(try value.text(name)))
            case "prefix": targets.append(.prefix(try value.text(name)))
            case "source": targets.append(.source(try value.text(name)))
            case "tag": targets.append(.tags(try value.texts(name)))
            case "preset": targets.append(.preset(try value.text(name)))
            case "older_than": targets.append(.olderThan(try value.seconds(name)))
            case "all": if try value.flag(name) { targets.append(.all) }
            case "soft": isSoft = try value.flag(name)
            case "dry": isDry = try value.flag(name)
            default:
                let hint = NearestName.of(name, among: Self.names).map { " Did you mean \($0)?" } ?? ""
                throw Problem(400, "A purge has \(Self.members), and soft and dry.\(hint)", parameter: name)
            }
        }
        guard let target = targets.first, targets.count == 1 else {
            throw Problem(400, "A purge names one of \(Self.members).", parameter: "url")
        }
        self.target = target
        try check()
    }

    init(target: Target, isSoft: Bool = false, isDry: Bool = false) {
        self.target = target
        self.isSoft = isSoft
        self.isDry = isDry
    }

    /// - Throws: `Problem` 400 where the way does not fit the target.
    func check() throws(Problem) {
        if case .preset = target, isSoft {
            throw Problem(400, "A preset's originals have not changed: soft is for them.", parameter: "soft")
        }
    }

    /// The object that says the same.
    var json: JSONValue {
        let member: JSONValue.Member =
            switch target {
            case .url(let url): .init("url", .string(url))
            case .prefix(let text): .init("prefix", .string(text))
            case .source(let name): .init("source", .string(name))
            case .tags(let tags) where tags.count == 1: .init("tag", .string(tags[0]))
            case .tags(let tags): .init("tag", .array(tags.map { .string($0) }))
            case .preset(let name): .init("preset", .string(name))
            case .olderThan(let seconds): .init("older_than", .number(seconds))
            case .all: .init("all", .bool(true))
            }
        let ways: [JSONValue.Member] = [isSoft ? "soft" : nil, isDry ? "dry" : nil].compactMap { name in
            name.map { .init($0, .bool(true)) }
        }
        return .object([member] + ways)
    }

    /// Reads how old something is to be, in whole seconds: `7d`, `90m`; `nil` for anything else.
    static func age(_ text: String) -> Int? { ScaledNumber.parse(text, units: ScaledNumber.seconds, bare: nil) }
}
