/// The share of its quota that the memory cache may use, adjusted by one reading per second.
///
/// Under pressure it shrinks in steps, by a quarter of the cached bytes or by half if pressure is critical, and then waits for
/// the effect, because PSI averages lag. After a period of calm it grows back to the quota within about a minute. Between the
/// thresholds it does not change, to avoid oscillation.
struct MemoryAllowance: Sendable, Equatable {
    /// The readings to wait after a step; one after a critical step.
    private static let patience = 3
    /// The consecutive calm readings before it grows.
    private static let calmness = 10
    /// The quota divided by this is the growth per reading.
    private static let growthDivisor = 64
    /// The quota divided by this is the minimum.
    private static let floorDivisor = 16

    /// The configured bytes.
    private(set) var quota: Int
    /// The allowed bytes, at most the quota.
    private(set) var bytes: Int
    /// The number of shrink steps so far.
    private(set) var steps = 0
    private var wait = 0
    private var calm = 0

    /// Creates an allowance of the whole quota.
    init(quota: Int) {
        self.quota = quota
        bytes = quota
    }

    /// Whether less than the quota is allowed.
    var isReduced: Bool { bytes < quota }

    /// Changes the quota; a reduced allowance stays reduced, within the new quota.
    mutating func setQuota(_ new: Int) {
        bytes = isReduced ? min(bytes, new) : new
        quota = new
    }

    /// Adjusts the allowance to a reading.
    ///
    /// - Parameter held: the bytes in the cache, so that a step always evicts something.
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
