import LinuxSystem

/// Returns freed memory to the system once the daemon has been idle for a while, and unmaps code then and after the start.
///
/// The allocator keeps what was freed for the next burst of requests. Without a next one, other processes need it more. Most of the
/// code that is mapped after the start was used by the start alone. Called by the thread of `MemoryPressureMonitor`, never on the path
/// of a request.
final class IdleTrim: Sendable {
    /// What the daemon has done and does.
    struct Activity: Sendable, Equatable {
        /// The requests and transfers so far.
        var done: Int
        /// The requests, transforms and transfers in progress.
        var underWay: Int
    }

    private struct State: Sendable {
        var done: Int?
        /// Nanoseconds without activity.
        var calm: Int64 = 0
        /// Whether memory was returned since the last activity.
        var isTrimmed = false
        var trims = 0
    }

    private let patience: @Sendable () -> Int
    private let activity: @Sendable () -> Activity
    private let trim: @Sendable () -> Void
    private let unmap: @Sendable () -> Void
    private let state = Lock(State())

    /// Creates a trim that has not seen any activity.
    ///
    /// - Parameters:
    ///   - patience: the milliseconds without activity before memory is returned; 0 for never.
    ///   - trim: returns the memory; may take some milliseconds.
    ///   - unmap: unmaps code, which is mapped again as it runs; called at the first check and with each trim.
    init(
        patience: @escaping @Sendable () -> Int,
        activity: @escaping @Sendable () -> Activity,
        trim: @escaping @Sendable () -> Void,
        unmap: @escaping @Sendable () -> Void
    ) {
        self.patience = patience
        self.activity = activity
        self.trim = trim
        self.unmap = unmap
    }

    /// How often memory was returned.
    var trims: Int { state.withLock { $0.trims } }

    /// Compares the activity with that of the previous call, and returns memory if there has been none for long enough.
    ///
    /// - Parameter nanoseconds: the time since the previous call.
    func check(after nanoseconds: Int64) {
        let (patience, activity) = (Int64(patience()) * 1_000_000, activity())
        let (isFirst, isDue) = state.withLock { state in
            let isFirst = state.done == nil
            let isActive = activity.underWay > 0 || activity.done != state.done
            state.done = activity.done
            guard !isActive else {
                (state.calm, state.isTrimmed) = (0, false)
                return (isFirst, false)
            }
            state.calm += nanoseconds
            guard patience > 0, state.calm >= patience, !state.isTrimmed else { return (isFirst, false) }
            state.isTrimmed = true
            state.trims += 1
            return (isFirst, true)
        }
        if isDue { trim() }
        if isFirst || isDue { unmap() }
    }
}
