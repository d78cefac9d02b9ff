import ImagePlan

extension ValueFormat where Value == Int {
    /// A perceptual distance in thousandths, written as a decimal number.
    static var distance: ValueFormat {
        let range = QualityDefaults.distances
        return .scalar("a number such as 1 or 0.75, from \(text(range.lowerBound)) to \(text(range.upperBound))") {
            guard let number = FixedDecimal(parsing: $0), number.millionths.isMultiple(of: 1_000) else { return nil }
            let value = number.millionths / 1_000
            return range.contains(value) ? value : nil
        } write: {
            .plain(text($0))
        }
    }

    private static func text(_ thousandths: Int) -> String {
        let decimals = String(1_000 + thousandths % 1_000).dropFirst()
        let digits = decimals.reversed().drop { $0 == "0" }.reversed()
        return "\(thousandths / 1_000)" + (digits.isEmpty ? "" : "." + String(digits))
    }
}
