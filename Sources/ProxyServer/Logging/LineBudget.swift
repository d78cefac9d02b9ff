import LinuxSystem

/// A rate limit for log lines, which counts and drops lines above it; any thread.
///
/// Event loops lease lines in batches, so that most lines need no lock.
final class LineBudget: Sendable {
    private struct State {
        var second = Int64.min
        var left = 0
        var dropped = 0
        var allDropped: UInt64 = 0
    }

    /// The lines per second; 0 for no limit.
    let rate: Int
    private let state = Lock(State())

    init(rate: Int) { self.rate = rate }

    /// The lines dropped since the start.
    var dropped: UInt64 { state.withLock { $0.allDropped } }

    /// Takes up to `count` lines of a second.
    ///
    /// - Returns: the lines that may be written, and the lines dropped in an earlier second, reported once.
    func take(_ count: Int, second: Int64) -> (granted: Int, droppedBefore: Int) {
        guard rate > 0 else { return (count, 0) }
        return state.withLock { state in
            var droppedBefore = 0
            // If the clock is set back slightly, a second must not get another budget.
            if second > state.second || second < state.second - 1 {
                (state.second, state.left) = (second, rate)
                (droppedBefore, state.dropped) = (state.dropped, 0)
            }
            let granted = min(count, state.left)
            state.left -= granted
            return (granted, droppedBefore)
        }
    }

    /// Counts dropped lines.
    func drop(_ count: Int = 1) {
        state.withLock { state in
            state.dropped += count
            state.allDropped += UInt64(count)
        }
    }
}

/// One loop's share of a budget; confined by its owner.
struct LineLease {
    private let budget: LineBudget
    private let portion: Int
    private var second = Int64.min
    private var left = 0

    /// - Parameter loops: the number of loops that share the budget.
    init(_ budget: LineBudget, loops: Int) {
        self.budget = budget
        portion = max(1, budget.rate / (16 * max(1, loops)))
    }

    /// Whether a line may be written now.
    ///
    /// - Parameter report: called with the lines dropped in an earlier second.
    mutating func take(second now: Int64, report: (Int) -> Void) -> Bool {
        guard budget.rate > 0 else { return true }
        if now != second { (second, left) = (now, 0) }
        if left == 0 {
            let (granted, droppedBefore) = budget.take(portion, second: now)
            left = granted
            if droppedBefore > 0 { report(droppedBefore) }
        }
        guard left > 0 else {
            budget.drop()
            return false
        }
        left -= 1
        return true
    }
}
