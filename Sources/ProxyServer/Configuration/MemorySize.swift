/// A size of memory: a number of bytes, or a share of the memory that the daemon may use.
enum MemorySize: Sendable, Equatable {
    case bytes(Int)
    /// 1–90 percent of the machine's memory, or of the control group's limit if that is lower.
    case percent(Int)
    /// Derived: see `MemoryPlan`.
    case automatic

    /// The size in bytes.
    ///
    /// - Parameters:
    ///   - memory: the memory that the daemon may use.
    ///   - derived: the size if it is automatic.
    func bytes(of memory: Int, derived: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let share): Int(Double(memory) / 100 * Double(share))
        case .automatic: derived
        }
    }
}

extension ValueFormat where Value == MemorySize {
    /// A size such as `256MiB`, a percentage such as `25%`, or `auto`.
    static func memorySize(from least: Int = 0, upTo largest: Int) -> ValueFormat {
        let low = least > 0 ? ", at least \(ScaledNumber.text(least, units: ScaledNumber.sizes))" : ""
        return .scalar(
            "a size such as 256MiB\(low), a percentage from 1% to 90%, or auto",
            schema: .either([
                .words(["auto"]), .text(pattern: "^[1-9][0-9]?%$"), .scaled(ScaledNumber.sizes, bare: true),
            ])
        ) { text in
            if text == "auto" { return .automatic }
            if text.hasSuffix("%") {
                let digits = text.dropLast()
                guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let share = Int(digits),
                    (1...90).contains(share)
                else { return nil }
                return .percent(share)
            }
            return ScaledNumber.parse(text, units: ScaledNumber.sizes, bare: 1).flatMap {
                (least...largest).contains($0) ? .bytes($0) : nil
            }
        } write: { size in
            switch size {
            case .bytes(let bytes): .plain(ScaledNumber.text(bytes, units: ScaledNumber.sizes))
            case .percent(let share): .plain("\(share)%")
            case .automatic: .plain("auto")
            }
        }
    }
}

extension ValueFormat where Value == Int? {
    /// Bytes, or `auto` (`nil`) for a size that `MemoryPlan` derives.
    static func sizeOrAuto(_ range: ClosedRange<Int>) -> ValueFormat {
        let low = ScaledNumber.text(range.lowerBound, units: ScaledNumber.sizes)
        let high = ScaledNumber.text(range.upperBound, units: ScaledNumber.sizes)
        return .scalar(
            "a size such as 256MiB, from \(low) to \(high), or auto",
            schema: .either([.words(["auto"]), .scaled(ScaledNumber.sizes, bare: true)])
        ) { text -> Int?? in
            if text == "auto" { return .some(nil) }
            guard let value = ScaledNumber.parse(text, units: ScaledNumber.sizes, bare: 1), range.contains(value)
            else { return nil }
            return .some(value)
        } write: {
            .plain($0.map { ScaledNumber.text($0, units: ScaledNumber.sizes) } ?? "auto")
        }
    }
}
