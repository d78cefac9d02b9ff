internal import ImagePlan

/// Texts of numbers, in the syntax of the request language.
enum NumberText {
    /// A number with at most six decimal places; one that is out of every range keeps a text that the parser refuses.
    static func of(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "\(value)" }
        return FixedDecimal(millionths: Int((value * 1_000_000).rounded())).text
    }
}
