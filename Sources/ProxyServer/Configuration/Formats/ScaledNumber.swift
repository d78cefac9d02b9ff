/// A number with a unit, such as `256MiB`, `1.5s` or `50MP`.
enum ScaledNumber {
    /// A unit's name and its size in the smallest unit.
    struct Unit: Sendable {
        var name: String
        var size: Int
    }

    static let sizes = [
        Unit(name: "B", size: 1), Unit(name: "kB", size: 1_000), Unit(name: "KB", size: 1_000),
        Unit(name: "MB", size: 1_000_000), Unit(name: "GB", size: 1_000_000_000),
        Unit(name: "TB", size: 1_000_000_000_000), Unit(name: "KiB", size: 1 << 10), Unit(name: "MiB", size: 1 << 20),
        Unit(name: "GiB", size: 1 << 30), Unit(name: "TiB", size: 1 << 40),
    ]
    static let milliseconds = [
        Unit(name: "ms", size: 1), Unit(name: "s", size: 1_000), Unit(name: "m", size: 60_000),
        Unit(name: "h", size: 3_600_000), Unit(name: "d", size: 86_400_000),
    ]
    static let seconds = [
        Unit(name: "s", size: 1), Unit(name: "m", size: 60), Unit(name: "h", size: 3_600),
        Unit(name: "d", size: 86_400),
    ]
    static let pixels = [Unit(name: "MP", size: 1_000_000)]

    /// Parses digits, an optional fraction, and a unit.
    ///
    /// - Parameter bare: the size of a number without a unit; `nil` if only 0 needs none.
    /// - Returns: `nil` for invalid text, for a fraction of the smallest unit, and on overflow.
    static func parse(_ text: String, units: [Unit], bare: Int?) -> Int? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = text[number.endIndex...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 18 }),
            let whole = Int(parts[0])
        else { return nil }
        guard !name.isEmpty else {
            if parts.count == 1, whole == 0 { return 0 }
            return parts.count == 1 ? bare.flatMap { product(whole, $0) } : nil
        }
        guard let unit = units.first(where: { $0.name == name }), let scaled = product(whole, unit.size) else {
            return nil
        }
        guard parts.count == 2, let digits = Int(parts[1]) else { return parts.count == 1 ? scaled : nil }
        let divisor = parts[1].reduce(1) { power, _ in power * 10 }
        guard let part = product(digits, unit.size), part.isMultiple(of: divisor) else { return nil }
        let sum = scaled.addingReportingOverflow(part / divisor)
        return sum.overflow ? nil : sum.partialValue
    }

    /// Prints a number exactly, in the unit with the fewest digits.
    static func text(_ value: Int, units: [Unit]) -> String {
        guard value != 0 else { return "0" }
        let candidates = units.filter { value.isMultiple(of: $0.size) }.map { "\(value / $0.size)\($0.name)" }
        return candidates.min { $0.utf8.count < $1.utf8.count } ?? String(value)
    }

    private static func product(_ left: Int, _ right: Int) -> Int? {
        let product = left.multipliedReportingOverflow(by: right)
        return product.overflow ? nil : product.partialValue
    }
}
