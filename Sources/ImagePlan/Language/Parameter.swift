/// A decoded query parameter: a name and a value, with the readers of values that steps and settings share.
///
/// Each reader throws a `RequestError` that names the parameter.
package struct Parameter: Hashable, Sendable {
    package let name: String
    package let value: String
    /// Whether the value is a length in the screen's own pixels, which `dpr` does not multiply.
    let isInDevicePixels: Bool

    /// Creates a parameter of decoded texts.
    package init(_ name: String, _ value: String) {
        self.init(name, value, isInDevicePixels: false)
    }

    init(_ name: String, _ value: String, isInDevicePixels: Bool) {
        self.name = name
        self.value = value
        self.isInDevicePixels = isInDevicePixels
    }

    /// An error about this parameter: 400.
    package func error(_ reason: String) -> RequestError {
        RequestError(parameter: name, reason: reason)
    }

    /// A whole number within a range; digits only, with a minus sign where the range reaches below zero.
    package func integer(in range: ClosedRange<Int>) throws(RequestError) -> Int {
        guard let number = FixedDecimal(parsing: value), !value.utf8.contains(UInt8(ascii: ".")),
            let whole = number.whole, range.contains(whole)
        else {
            throw error("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    /// A decimal number within a range; no exponents, no infinities.
    package func decimal(in range: ClosedRange<FixedDecimal>) throws(RequestError) -> FixedDecimal {
        guard let number = FixedDecimal(parsing: value), range.contains(number) else {
            throw error("must be a number from \(range.lowerBound.text) to \(range.upperBound.text)")
        }
        return number
    }

    /// One of an enumeration's raw values.
    ///
    /// - Parameter otherNames: what other software calls some of them; only for the error's suggestion.
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

    /// `0` or `1`.
    package func flag() throws(RequestError) -> Bool {
        switch value {
        case "0": false
        case "1": true
        default: throw error("must be 0 or 1")
        }
    }

    /// The value's parts, each as a parameter of the same name; empty parts are kept, for their reader to refuse.
    ///
    /// Scalar by scalar: what combines with a separator in front of it separates nothing less.
    package func parts(separatedBy separator: Unicode.Scalar) -> [Parameter] {
        value.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
            .map { Parameter(name, String($0)) }
    }
}

extension Parameter {
    /// Reads an angle in degrees, modulo 360: at least 0 and less than 360.
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
