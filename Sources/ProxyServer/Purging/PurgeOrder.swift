import Foundation

/// What `POST /purge` is asked to do: one target, and how.
struct PurgeOrder: Hashable, Sendable {
    /// What goes.
    enum Target: Hashable, Sendable {
        /// A request's path, or an origin's absolute URL: the original and all its variants.
        case url(String)
        /// All of a source; `fetch` for remote URLs.
        case source(String)
        case all
    }

    var target: Target
    /// Whether it is only counted.
    var isDry = false

    /// Names of the contract that this version does not know what to do with.
    private static let later = ["prefix", "tag", "preset", "soft"]

    /// Reads a JSON object such as `{"url":"/photos/a.jpg"}` (RFC 8259).
    ///
    /// - Throws: `Problem` 400, naming the member that is wrong.
    init(json: [UInt8]) throws(Problem) {
        guard let members = try? JSONDecoder().decode([String: Value].self, from: Data(json)) else {
            throw Problem(400, "The body is no JSON object such as {\"url\":\"/photos/a.jpg\"}.")
        }
        var targets: [Target] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "url": targets.append(.url(try Self.text(value, name)))
            case "source": targets.append(.source(try Self.text(value, name)))
            case "all": if try Self.flag(value, name) { targets.append(.all) }
            case "dry": isDry = try Self.flag(value, name)
            case _ where Self.later.contains(name):
                throw Problem(400, "\(name) is not supported by this version.", parameter: name)
            default: throw Problem(400, "A purge has url, source or all, and dry.", parameter: name)
            }
        }
        guard let target = targets.first, targets.count == 1 else {
            throw Problem(400, "A purge names one of url, source or all.", parameter: "url")
        }
        self.target = target
    }

    init(target: Target, isDry: Bool = false) {
        self.target = target
        self.isDry = isDry
    }

    /// The object that says the same.
    var json: JSONValue {
        let member: JSONValue.Member =
            switch target {
            case .url(let url): .init("url", .string(url))
            case .source(let name): .init("source", .string(name))
            case .all: .init("all", .bool(true))
            }
        return .object([member] + (isDry ? [.init("dry", .bool(true))] : []))
    }

    private static func text(_ value: Value, _ name: String) throws(Problem) -> String {
        guard case .text(let text) = value, !text.isEmpty else {
            throw Problem(400, "\(name) is no text.", parameter: name)
        }
        return text
    }

    private static func flag(_ value: Value, _ name: String) throws(Problem) -> Bool {
        guard case .flag(let flag) = value else {
            throw Problem(400, "\(name) is neither true nor false.", parameter: name)
        }
        return flag
    }

    /// What a member may be.
    private enum Value: Decodable {
        case text(String)
        case flag(Bool)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .other
            }
        }
    }
}
