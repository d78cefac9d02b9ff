import ImagePlan

/// An option of another server with its value, and parsers that name the option in their errors.
struct OptionValue {
    /// The name as the client wrote it.
    let name: String
    /// The decoded value.
    let text: String

    /// A 400 error about the option.
    func error(_ reason: String) -> RequestError { RequestError(parameter: name, reason: reason) }

    /// A 400 error that says what is possible instead.
    private func unknown(_ known: some Sequence<String>) -> RequestError {
        let known = Array(known)
        return error("must be one of \(known.joined(separator: ", "))\(NearestName.hint(text, among: known))")
    }

    /// A whole number within a range.
    func integer(in range: ClosedRange<Int>) throws(RequestError) -> Int {
        try Parameter(name, text).integer(in: range)
    }

    /// A decimal number within a range.
    func decimal(in range: ClosedRange<Int>) throws(RequestError) -> FixedDecimal {
        try decimal(in: FixedDecimal(range.lowerBound)...FixedDecimal(range.upperBound))
    }

    /// A decimal number within a range.
    func decimal(in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal {
        // Other servers accept `5.` and `+5`.
        let trimmed = text.hasSuffix(".") ? text.dropLast() : text[...]
        return try Parameter(name, String(trimmed.hasPrefix("+") ? trimmed.dropFirst() : trimmed)).decimal(in: range)
    }

    /// A colour of CSS, with or without `#`.
    func color() throws(RequestError) -> Color {
        guard let color = CSSColor.parse(text) else {
            throw error("must be a colour: a name, or hexadecimal digits such as ff8800")
        }
        return color
    }

    /// What a table has for the value.
    func keyword<Value>(_ table: KeyValuePairs<String, Value>) throws(RequestError) -> Value {
        guard let entry = table.first(where: { $0.key == text }) else { throw unknown(table.map(\.key)) }
        return entry.value
    }
}

extension FixedDecimal {
    /// The nearest number to a double that is finite and not large.
    init(_ value: Double) { self.init(millionths: Int((value * 1_000_000).rounded())) }

    static let one = FixedDecimal(1)

    /// The least standard deviation of our blur and sharpening.
    static let leastSigma = FixedDecimal(millionths: 300_000)
}
