/// The parameters, with their values, that a scoped signature permits: `scope=w:320-1920,dpr:1-3,format:*`.
///
/// Entries are separated by commas; each is a name, a colon and its values: `*` for every value, or alternatives separated by
/// `|`, each a text or a range of numbers with both ends included. Names and texts are percent-decoded once more than other
/// values, so that they can contain separators. A parameter whose name has `!` at its end must be given; others may be.
package struct SignatureScope: Hashable, Sendable {
    /// The name of the parameter that contains a scope.
    package static let name = "scope"
    /// The maximum number of entries.
    package static let maximumEntries = 64
    /// The parameters that are part of the signature itself, or are signed along with a scope.
    package static let ownNames: Set<String> = ["sig", "exp", name]

    /// The text as given, decoded once.
    package let text: String
    /// The permitted parameters, in order.
    package let names: [String]
    /// The parameters that must be given.
    private let required: [String]
    private let values: [String: Values]

    private struct Values: Hashable, Sendable {
        /// The values as given, for errors.
        var text: String
        /// `nil` for every value.
        var alternatives: [Alternative]?
    }

    private enum Alternative: Hashable, Sendable {
        case text(String)
        case range(ClosedRange<FixedDecimal>)

        func contains(_ value: String) -> Bool {
            switch self {
            case .text(let text): value == text
            case .range(let range): FixedDecimal(parsing: value).map(range.contains) ?? false
            }
        }
    }

    /// Parses the value of `scope`.
    ///
    /// - Throws: 400, naming `scope`, for anything that is not in the grammar, and for names that are given twice.
    package init(parsing parameter: Parameter) throws(RequestError) {
        text = parameter.value
        let entries = parameter.parts(separatedBy: ",")
        guard entries.count <= Self.maximumEntries else {
            throw parameter.error("has more than \(Self.maximumEntries) entries")
        }
        var (names, required): ([String], [String]) = ([], [])
        var values: [String: Values] = [:]
        for entry in entries {
            let parts = entry.value.unicodeScalars.split(
                separator: ":",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw parameter.error("must consist of name:values pairs, such as w:320-1920,format:*")
            }
            let isRequired = parts[0].last == "!"
            let name = try Self.decoded(String(isRequired ? parts[0].dropLast() : parts[0]), parameter)
            guard !name.isEmpty else { throw parameter.error("has an entry without a name") }
            guard !Self.ownNames.contains(name) else {
                throw parameter.error("cannot name \(name), which is part of the signature")
            }
            names.append(name)
            if isRequired { required.append(name) }
            let own = try Self.values(Parameter(name, String(parts[1])), of: parameter)
            guard values.updateValue(own, forKey: name) == nil else {
                throw parameter.error("names \(name.prefix(64)) more than once")
            }
        }
        self.names = names
        self.required = required
        self.values = values
    }

    /// Why the scope does not permit a parameter; `nil` if it does.
    ///
    /// - Parameters:
    ///   - name: the decoded name.
    ///   - value: the decoded value; empty if there is none.
    package func refusal(of name: String, value: String) -> RequestError? {
        guard !Self.ownNames.contains(name) else { return nil }
        guard let permitted = values[name] else {
            return Self.error(name, "is not in the signed scope, which permits \(names.joined(separator: ", "))")
        }
        let value = Self.canonical(value, of: name)
        guard let alternatives = permitted.alternatives, !alternatives.contains(where: { $0.contains(value) }) else {
            return nil
        }
        return Self.error(name, "is outside the signed scope, which permits \(permitted.text)")
    }

    /// The first reason for which the scope does not permit a query; `nil` if it does.
    ///
    /// - Parameter isComplete: whether parameters that the scope requires must be there; a client may still add them otherwise.
    package func refusal(of pairs: [QueryPair], isComplete: Bool = true) -> RequestError? {
        var seen: Set<String> = []
        for pair in pairs {
            if let refusal = refusal(of: pair.name, value: pair.value ?? "") { return refusal }
            guard seen.insert(pair.name).inserted || ParameterRole(of: pair.name)?.isRepeatable == true else {
                return Self.error(pair.name, "is given more than once, which a signed scope permits for steps only")
            }
        }
        guard isComplete else { return nil }
        let missing = required.first { name in !pairs.contains { $0.name == name } }
        return missing.map { Self.error($0, "is required by the signed scope") }
    }

    private static func error(_ name: String, _ reason: String) -> RequestError {
        RequestError(parameter: name, reason: reason, status: .forbidden)
    }

    private static func values(_ own: Parameter, of parameter: Parameter) throws(RequestError) -> Values {
        guard own.value != "*" else { return Values(text: "every value", alternatives: nil) }
        var alternatives: [Alternative] = []
        for part in own.parts(separatedBy: "|") {
            guard !part.value.isEmpty, part.value != "*" else {
                let problem = part.value.isEmpty ? "an empty value" : "* beside other values"
                throw parameter.error("has \(problem) for \(own.name.prefix(64))")
            }
            if let ends = ends(of: part.value) {
                guard ends.low <= ends.high else {
                    throw parameter.error("has a range for \(own.name.prefix(64)) that ends before it begins")
                }
                alternatives.append(.range(ends.low...ends.high))
            } else {
                alternatives.append(.text(canonical(try decoded(part.value, parameter), of: own.name)))
            }
        }
        return Values(text: own.value, alternatives: alternatives)
    }

    /// The same value for both spellings of JPEG.
    private static func canonical(_ value: String, of name: String) -> String {
        name == PlanSetting.format.name && value == "jpg" ? FormatSetting.jpeg.rawValue : value
    }

    /// The ends of a range, which may be negative; `nil` for a text.
    private static func ends(of text: String) -> (low: FixedDecimal, high: FixedDecimal)? {
        for dash in text.indices.dropFirst() where text[dash] == "-" {
            guard let low = FixedDecimal(parsing: String(text[..<dash])),
                let high = FixedDecimal(parsing: String(text[text.index(after: dash)...]))
            else { continue }
            return (low, high)
        }
        return nil
    }

    private static func decoded(_ text: String, _ parameter: Parameter) throws(RequestError) -> String {
        do throws(PercentCoding.Failure) {
            return try PercentCoding.decode(Array(text.utf8)[...])
        } catch {
            throw parameter.error(error.reason)
        }
    }
}

extension RequestLanguage {
    /// A suffix such as `; did you mean w?` for a name that is not part of the language.
    ///
    /// - Parameter more: further known names.
    package static func hint(_ name: String, among more: some Sequence<String>) -> String {
        ParameterRole.hint(name, among: Set(more))
    }
}
