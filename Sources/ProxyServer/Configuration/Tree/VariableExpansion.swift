/// Replaces `${NAME}` in values by environment variables, for secrets and machine-dependent paths.
///
/// `$${` is a literal `${`; a single `$` is literal. An unset variable is an error.
struct VariableExpansion {
    /// The reason why a value cannot be expanded.
    enum BadExpansion: Error, Sendable, Hashable, CustomStringConvertible {
        /// No such variable.
        case unset(String)
        /// `${` without a name and a closing brace.
        case malformed

        var description: String {
            switch self {
            case .unset(let name): "the environment variable \(name) is not set"
            case .malformed: "'${' requires a variable's name and a closing '}'; write '$${' for a literal '${'"
            }
        }
    }

    let variables: [String: String]

    /// The value with every variable replaced; replacements are not expanded again.
    func expand(_ value: String) throws(BadExpansion) -> String {
        guard value.contains("${") else { return value }
        var result = ""
        var rest = Substring(value)
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                result += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}") else { throw .malformed }
                let name = String(rest.dropFirst(2).prefix(upTo: end))
                guard VariableExpansion.isName(name) else { throw .malformed }
                guard let replacement = variables[name] else { throw .unset(name) }
                result += replacement
                rest = rest[rest.index(after: end)...]
            } else {
                result += "$"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "_")
        }
    }
}
