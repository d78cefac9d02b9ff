/// A decoded query parameter, with the value parsers that steps and settings share.
///
/// The parsers throw a `RequestError` that names the parameter.
package struct Parameter: Hashable, Sendable {
    package let name: String
    package let value: String
    /// Whether the value is a length in device pixels, which `dpr` does not scale.
    let isInDevicePixels: Bool
    /// Whether the query says `auto`, and the value is that of a client hint or its default.
    let isAutomatic: Bool

    /// Creates a parameter from decoded text.
    package init(_ name: String, _ value: String) {
        self.init(name, value, isInDevicePixels: false)
    }

    init(_ name: String, _ value: String, isInDevicePixels: Bool, isAutomatic: Bool = false) {
        self.name = name
        self.value = value
        self.isInDevicePixels = isInDevicePixels
        self.isAutomatic = isAutomatic
    }

    /// A 400 error about this parameter.
    package func error(_ reason: String) -> RequestError {
        RequestError(parameter: name, reason: reason)
    }

    /// A 403 error about this parameter.
    func refusal(_ reason: String) -> RequestError {
        RequestError(parameter: name, reason: reason, status: .forbidden)
    }

    /// Parses an integer within a range: digits, with a minus sign if the range includes negative numbers.
    package func integer(in range: ClosedRange<Int>) throws(RequestError) -> Int {
        guard let number = FixedDecimal(parsing: value), !value.utf8.contains(UInt8(ascii: ".")),
            let whole = number.whole, range.contains(whole)
        else {
            throw error("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// Parses a decimal number within a range, without exponent.
    package func decimal(in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal {
        guard let number = FixedDecimal(parsing: value), range.contains(number) else {
            throw error("must be a number from \(range.lowerBound.text) to \(range.upperBound.text)")
        }
        return number
    }

    /// Parses a percentage within a range: a decimal number and `%`.
    func percentage(in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal {
        guard value.hasSuffix("%"), let number = FixedDecimal(parsing: String(value.dropLast())), range.contains(number)
        else {
            throw error("must be a percentage from \(range.lowerBound.text)% to \(range.upperBound.text)%")
        }
        return number
    }

    /// Parses one of an enumeration's raw values.
    ///
    /// - Parameter otherNames: synonyms from other software, used only for suggestions.
    package func keyword<Keyword>(
        _: Keyword.Type = Keyword.self,
        otherNames: [String: String] = [:]
    ) throws(RequestError) -> Keyword
    where Keyword: RawRepresentable & CaseIterable, Keyword.RawValue == String {
        guard let keyword = Keyword(rawValue: value) else {
            let words = Keyword.allCases.map(\.rawValue)
            let hint = NearestName.hint(value, among: words, otherNames: otherNames)
            throw error("must be one of \(words.joined(separator: ", "))\(hint)")
        }
        return keyword
    }

    /// Parses `0` or `1`.
    package func flag() throws(RequestError) -> Bool {
        switch value {
        case "0": false
        case "1": true
        default: throw error("must be 0 or 1")
        }
    }

    /// Splits the value into parameters of the same name; empty parts are kept for their parser to reject.
    ///
    /// Splits by scalars, so that a combining character after a separator does not hide it.
    package func parts(separatedBy separator: Unicode.Scalar) -> [Parameter] {
        value.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
            .map { Parameter(name, String($0)) }
    }
}

extension Parameter {
    /// Parses an angle in degrees, modulo 360: at least 0 and less than 360.
    ///
    /// - Throws: 400, naming the parameter.
    func angle() throws(RequestError) -> FixedDecimal {
        guard let degrees = FixedDecimal(parsing: value) else {
            throw error("must be a number of degrees, at most 999999999")
        }
        return degrees.withinOneTurn
    }
}

extension FixedDecimal {
    /// An angle in degrees modulo 360.
    var withinOneTurn: FixedDecimal {
        let fullTurn = 360_000_000
        let remainder = millionths % fullTurn
        return FixedDecimal(millionths: remainder < 0 ? remainder + fullTurn : remainder)
    }
}
