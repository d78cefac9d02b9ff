/// The size of the memory cache: a number of bytes, or a share of the memory that the daemon may use.
enum MemorySize: Sendable, Equatable {
    case bytes(Int)
    /// 1–90 percent of the machine's memory, or of the control group's limit if that is lower.
    case percent(Int)
    /// A quarter.
    case automatic

    /// The memory assumed where neither the machine's nor a limit is known, in bytes.
    private static let unknown = 1 << 30

    /// The size in bytes on this machine, as it was when the process started to use it.
    var bytes: Int { bytes(of: Self.machine) }

    /// The size in bytes, of so much memory.
    func bytes(of memory: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let share): Int(Double(memory) / 100 * Double(share))
        case .automatic: memory / 4
        }
    }

    /// Read once, because a quota must not change between two readings of one configuration.
    private static let machine = MachineMemory.available(MachineProbe()) ?? unknown
}

extension ValueFormat where Value == MemorySize {
    /// A size such as `256MiB`, a percentage such as `25%`, or `auto`.
    static func memorySize(upTo largest: Int) -> ValueFormat {
        .scalar("a size such as 256MiB, a percentage from 1% to 90%, or auto") { text in
            if text == "auto" { return .automatic }
            if text.hasSuffix("%") {
                let digits = text.dropLast()
                guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let share = Int(digits),
                    (1...90).contains(share)
                else { return nil }
                return .percent(share)
            }
            return ScaledNumber.parse(text, units: ScaledNumber.sizes, bare: 1).flatMap {
                (0...largest).contains($0) ? .bytes($0) : nil
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
