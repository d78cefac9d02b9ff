/// How much of its quota the memory cache may use, moved by readings that come once a second.
///
/// Under pressure it gives way in steps: a quarter of what it holds, half when it is critical, and then waits to see what that
/// did, for PSI's averages lag. After a while of calm it grows back, to the quota within about a minute. Between calm and
/// pressed nothing moves, so that it does not swing.
struct MemoryAllowance: Sendable, Equatable {
    /// Readings after a step down that are waited for before the next; a critical one waits for one.
    private static let patience = 3
    /// Calm readings in a row before it grows.
    private static let calmness = 10
    /// A reading's growth is the quota by this.
    private static let growthDivisor = 64
    /// What is left under the longest pressure is the quota by this.
    private static let floorDivisor = 16

    /// Bytes as configured.
    private(set) var quota: Int
    /// Bytes that count now, at most the quota.
    private(set) var bytes: Int
    /// Steps down so far.
    private(set) var steps = 0
    private var wait = 0
    private var calm = 0

    /// Allows the whole quota.
    init(quota: Int) {
        self.quota = quota
        bytes = quota
    }

    /// Whether it is under its quota.
    var isReduced: Bool { bytes < quota }

    /// Sets another quota; an allowance that was reduced stays so, but for what it may have at most.
    mutating func setQuota(_ new: Int) {
        bytes = isReduced ? min(bytes, new) : new
        quota = new
    }

    /// Goes by a reading.
    ///
    /// - Parameter held: bytes in the cache now: a step down must be felt.
    mutating func move(_ level: MemoryReading.Level, held: Int) {
        wait = max(0, wait - 1)
        calm = level == .calm ? calm + 1 : 0
        switch level {
        case .pressed where wait == 0: shrink(to: min(bytes, held) / 4 * 3, wait: Self.patience)
        case .critical where wait < Self.patience: shrink(to: min(bytes, held) / 2, wait: Self.patience + 1)
        case .calm where calm > Self.calmness && isReduced:
            bytes = min(quota, bytes + max(1, quota / Self.growthDivisor))
        default: break
        }
    }

    private mutating func shrink(to wanted: Int, wait: Int) {
        self.wait = wait
        let floor = min(bytes, quota / Self.floorDivisor)
        guard max(floor, wanted) < bytes else { return }
        bytes = max(floor, wanted)
        steps += 1
    }
}

/// How `cache.memory` is shared out between what is kept there, in bytes.
struct MemoryShares: Sendable, Equatable {
    /// What pictures may have.
    var pictures: Int
    /// What the responses of raw sources may have.
    var raw = 0

    /// All of it.
    var total: Int { pictures + raw }

    /// The same proportions of fewer bytes.
    func within(_ bytes: Int) -> MemoryShares {
        guard bytes < total else { return self }
        let share = Int(Double(raw) / Double(total) * Double(bytes))
        return MemoryShares(pictures: bytes - share, raw: share)
    }
}
