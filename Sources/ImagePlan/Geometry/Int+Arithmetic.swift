extension Int {
    /// The sum of two non-negative numbers, at most `Int.max`.
    package func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// The product of two non-negative numbers, at most `Int.max`.
    package func multipliedSaturated(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// `dividend` ÷ `divisor` (positive), rounded half up, at least 1: the rounding rule for all sides.
    package static func side(_ dividend: Int, dividedBy divisor: Int) -> Int {
        Swift.max(1, (2 * dividend + divisor) / (2 * divisor))
    }

    /// The quotient by a positive divisor, rounded towards negative infinity.
    package func flooredQuotient(_ divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
