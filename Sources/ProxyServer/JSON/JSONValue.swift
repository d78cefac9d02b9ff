import Foundation
import ImagePlan

/// A JSON value (RFC 8259) with ordered members.
indirect enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Int)
    /// A finite number.
    case decimal(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    struct Member: Sendable, Hashable {
        var name: String
        var value: JSONValue

        /// Creates a member.
        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value at a path of member names joined by dots, or `nil`.
    subscript(path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(self)) { value, name in
            guard case .object(let members)? = value else { return nil }
            return members.first { $0.name == name }?.value
        }
    }

    /// A whole number.
    var int: Int? { if case .number(let value) = self { value } else { nil } }

    /// Any number.
    var double: Double? {
        switch self {
        case .number(let value): Double(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// The compact text.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .decimal(let value): value.isFinite ? String(value) : "null"
        case .string(let value): JSONText.quoted(value)
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(JSONText.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    /// The text with one member per line, indented by two spaces per level, and a final line end.
    var document: String { indented("") + "\n" }

    private func indented(_ margin: String) -> String {
        let inner = margin + "  "
        func lines(_ lines: [String], _ open: String, _ close: String) -> String {
            "\(open)\n\(lines.map { inner + $0 }.joined(separator: ",\n"))\n\(margin)\(close)"
        }
        switch self {
        case .array(let values) where !values.isEmpty:
            return lines(values.map { $0.indented(inner) }, "[", "]")
        case .object(let members) where !members.isEmpty:
            return lines(members.map { "\(JSONText.quoted($0.name)): \($0.value.indented(inner))" }, "{", "}")
        default: return text
        }
    }
}

extension JSONValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .decimal(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            // The decoder does not preserve the order; sorting by name makes equal objects equal.
            let members = try container.decode([String: JSONValue].self)
            self = .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
        }
    }

    /// Parses a JSON text; `nil` if it is invalid.
    init?(parsing text: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}

extension JSONValue {
    /// Converts a configuration value: integers and booleans keep their type, everything else becomes a string.
    init(_ value: YAMLValue) {
        switch value {
        case .plain("true"): self = .bool(true)
        case .plain("false"): self = .bool(false)
        case .plain(let text): self = Int(text).map(JSONValue.number) ?? .string(text)
        case .quoted(let text): self = .string(text)
        case .list(let values): self = .array(values.map(JSONValue.init))
        case .map(let entries): self = .object(entries.map { Member($0.0, JSONValue($0.1)) })
        }
    }

    /// The value as plain text: lists separated by commas, empty as "none".
    var words: String {
        switch self {
        case .null: "none"
        case .string(let text): text
        case .bool, .number, .decimal: text
        case .array(let values): values.isEmpty ? "none" : values.map(\.words).joined(separator: ", ")
        case .object(let members):
            members.isEmpty ? "none" : members.map { "\($0.name): \($0.value.words)" }.joined(separator: ", ")
        }
    }
}
