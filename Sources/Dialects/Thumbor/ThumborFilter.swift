import ImagePlan

/// A filter of a path, `name(a,b)`.
struct ThumborFilter {
    /// What a filter does.
    struct Meaning: Sendable {
        /// Whether it changes pixels or sizes, so that its place matters.
        var changesPixels = true
        /// How many arguments it takes.
        let arguments: ClosedRange<Int>
        let apply: @Sendable (ThumborFilter, inout ThumborPlan) throws(RequestError) -> Void
    }

    let name: String
    /// The arguments, decoded; those of thumbor without spaces and quotes around them.
    let arguments: [String]

    /// Parses the filters of a path.
    ///
    /// - Throws: 400, naming the filter, for one that does not exist, or with too few or too many arguments.
    static func parse(_ raw: ArraySlice<UInt8>, rules: ThumborRules) throws(RequestError) -> [ThumborFilter] {
        // thumbor decodes all filters at once, imagor each argument.
        let isDecoded = rules == .thumbor
        let raw = isDecoded ? Array(try decoded(raw, of: "filters").utf8)[...] : raw
        var filters: [ThumborFilter] = []
        for part in split(raw, rules: rules) where !part.isEmpty {
            guard let open = part.firstIndex(of: UInt8(ascii: "(")), open > part.startIndex,
                part.last == UInt8(ascii: ")")
            else {
                let text = String(decoding: part.prefix(64), as: UTF8.self)
                throw RequestError(parameter: "filters", reason: "has \(text), which must be name(arguments)")
            }
            let name = String(decoding: part[..<open], as: UTF8.self)
            guard let meaning = rules.filters[name] else {
                let hint = NearestName.hint(name, among: rules.filters.keys.sorted())
                throw RequestError(parameter: name, reason: "is not a filter that can be said\(hint)")
            }
            var arguments: [String] = []
            for (index, argument) in self.arguments(part[(open + 1)...].dropLast(), rules: rules).enumerated() {
                if isDecoded {
                    arguments.append(trimmed(String(decoding: argument, as: UTF8.self)))
                } else if formArguments[name]?.contains(index) == true {
                    arguments.append(try formDecoded(argument, of: name))
                } else {
                    arguments.append(try decoded(argument, of: name))
                }
            }
            guard meaning.arguments.contains(arguments.count) else {
                let (least, most) = (meaning.arguments.lowerBound, meaning.arguments.upperBound)
                throw RequestError(
                    parameter: name,
                    reason:
                        "has \(arguments.count) arguments instead of \(least == most ? "\(least)" : "\(least) to \(most)")"
                )
            }
            filters.append(ThumborFilter(name: name, arguments: arguments))
        }
        return filters
    }

    /// The arguments of imagor's filters that it decodes as those of a form, by their places: texts, fonts and images.
    private static let formArguments: [String: Set<Int>] = ["label": [0, 6], "watermark": [0]]

    /// Decodes an argument with a plus for a space; one with a malformed `%` is taken literally, as by imagor.
    private static func formDecoded(_ bytes: ArraySlice<UInt8>, of name: String) throws(RequestError) -> String {
        guard PercentCoding.isWellFormed(bytes) else {
            return try decoded(PercentCoding.literal(bytes)[...], of: name)
        }
        return try decoded(bytes.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }[...], of: name)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>, of name: String) throws(RequestError) -> String {
        do {
            return try PercentCoding.decode(bytes)
        } catch {
            throw RequestError(parameter: name, reason: error.reason)
        }
    }

    /// Splits at colons after a parenthesis, for imagor at those outside of parentheses.
    private static func split(_ raw: ArraySlice<UInt8>, rules: ThumborRules) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, depth) = (raw.startIndex, 0)
        for index in raw.indices {
            switch raw[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ":")
            where rules == .imagor ? depth <= 0 : index > start && raw[index - 1] == UInt8(ascii: ")"):
                parts.append(raw[start..<index])
                start = index + 1
            default: break
            }
        }
        return parts + [raw[start...]]
    }

    /// Splits at commas outside of parentheses, and for thumbor of single quotes; nothing at all is no argument.
    private static func arguments(_ raw: ArraySlice<UInt8>, rules: ThumborRules) -> [ArraySlice<UInt8>] {
        guard raw.contains(where: { $0 != UInt8(ascii: " ") }) else { return [] }
        var parts: [ArraySlice<UInt8>] = []
        var (start, depth, isQuoted) = (raw.startIndex, 0, false)
        for index in raw.indices {
            switch raw[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "'") where rules == .thumbor: isQuoted.toggle()
            case UInt8(ascii: ",") where depth <= 0 && !isQuoted:
                parts.append(raw[start..<index])
                start = index + 1
            default: break
            }
        }
        return parts + [raw[start...]]
    }

    private static func trimmed(_ argument: String) -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " }
        var scalars = argument.unicodeScalars.drop(while: isSpace)
        while let last = scalars.last, isSpace(last) { scalars.removeLast() }
        if scalars.count > 2, scalars.first == "'", scalars.last == "'" { scalars = scalars.dropFirst().dropLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    /// An argument as a value that names the filter in errors; `nil` if it is missing or empty.
    subscript(index: Int) -> OptionValue? {
        guard index < arguments.count, !arguments[index].isEmpty else { return nil }
        return OptionValue(name: name, text: arguments[index])
    }

    /// An argument that must be there.
    func argument(_ index: Int) throws(RequestError) -> OptionValue {
        guard let value = self[index] else { throw error("lacks an argument") }
        return value
    }

    /// A 400 error about the filter.
    func error(_ reason: String) -> RequestError { RequestError(parameter: name, reason: reason) }

    /// `true` or `false`.
    func flag(_ index: Int) throws(RequestError) -> Bool {
        guard let value = self[index] else { return false }
        return try value.keyword([
            "true": true, "false": false, "True": true, "False": false, "1": true, "0": false,
        ])
    }
}
