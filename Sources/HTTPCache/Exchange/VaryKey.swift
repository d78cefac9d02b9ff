package import HTTPSemantics

/// The values of the request fields that a response's `Vary` names (RFC 9111 §4.1).
package struct VaryKey: Hashable, Sendable {
    /// The maximum number of names; a `Vary` with more is treated like `*`, since each lookup compares all of them.
    package static let maximumNames = 64

    /// Lower-case names with normalised values; `nil` if the request had no such field.
    package let values: [String: String?]
    /// Whether `Vary` is `*` or has too many names, so that no later request matches.
    package let isAny: Bool

    /// Creates the key of a response to a request with these fields.
    package init(vary: String?, request: FieldLines) {
        var names = vary.map { FieldLines.members($0) } ?? []
        if names.count > Self.maximumNames { names = ["*"] }
        isAny = names.contains("*")
        var values: [String: String?] = [:]
        for name in names { values[name] = .some(request[name].map { Self.normal($0, of: name) }) }
        self.values = values
    }

    /// Restores a stored key.
    package init(values: [String: String?]) {
        self.values = values
        isAny = values.count > Self.maximumNames
    }

    /// The memory that the names and values occupy, estimated, in bytes.
    var cost: Int {
        // A place in the dictionary, which is half full on average, and the headers of two long strings.
        values.reduce(0) { $0 + 128 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
    }

    /// Whether a request with these fields matches.
    package func matches(_ request: FieldLines) -> Bool {
        !isAny && values.allSatisfy { name, value in request[name].map { Self.normal($0, of: name) } == value }
    }

    /// Returns a value without insignificant differences: whitespace around list members, case in case-insensitive fields, and
    /// the order of members whose weights all differ; of languages, order in general.
    private static func normal(_ value: String, of name: String) -> String {
        if name == "accept-language", let preferences = LanguagePreferences(value) { return preferences.text }
        // Commas inside quotes are not interpreted.
        guard !value.utf8.contains(UInt8(ascii: "\"")) else { return value }
        let isNegotiation = ["accept", "accept-charset", "accept-encoding", "accept-language"].contains(name)
        var members = value.split(separator: ",").compactMap { member -> String? in
            var text = member.drop { $0 == " " || $0 == "\t" }
            while let last = text.last, last == " " || last == "\t" { text.removeLast() }
            guard isNegotiation else { return text.isEmpty ? nil : String(text) }
            let compact = text.lowercased().filter { $0 != " " && $0 != "\t" }
            return compact.isEmpty ? nil : compact
        }
        if isNegotiation {
            let weights = members.map(weight)
            if Set(weights).count == members.count { members.sort() }
        }
        return members.joined(separator: ",")
    }

    /// Returns the weight of a member in thousandths (RFC 9110 §12.4.2).
    private static func weight(_ member: String) -> Int {
        guard let text = member.split(separator: ";").first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else {
            return 1000
        }
        return Double(text).map { Int(min(max(0, $0), 1) * 1000) } ?? 1000
    }
}
