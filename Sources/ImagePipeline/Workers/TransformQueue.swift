import HTTPSemantics
import LinuxSystem

/// The bounded queue of jobs that wait for a worker, by priority and then by arrival.
final class TransformQueue: Sendable {
    private struct State {
        /// One lane per priority.
        ///
        /// The limit is some hundreds, so removal from an array is cheap compared with a transform.
        var lanes = noLanes
        var isClosed = false
        /// The maximum number of waiting jobs.
        var limit: Int
        /// The maximum bytes of decoded pixels of all running jobs together.
        var budget: Int
        /// Those of the jobs that run now.
        var running = 0
        /// Drivers that found the next job too large for the rest of the budget.
        var disappointed = 0
        var count: Int { lanes.reduce(0) { $0 + $1.count } }
        static let noLanes = [[PendingTransform]](repeating: [], count: 4)
    }

    private static let background = TransformJob.Priority.background.rawValue

    /// The reason why a job was not queued.
    enum Refusal: Error {
        case full
        case closed
    }

    /// Raised once per queued job; drivers poll it.
    let event: WakeEvent
    private let state: Lock<State>

    /// - Parameter budget: maximum bytes of decoded pixels of all running jobs; a job over it runs alone.
    init(limit: Int, budget: Int) throws(Errno) {
        state = Lock(State(limit: limit, budget: budget))
        event = try WakeEvent(semaphore: true)
    }

    /// Sets the maximum number of waiting jobs; jobs already waiting stay.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Sets the maximum bytes of decoded pixels of all running jobs; jobs already running stay, waiting ones may start.
    func setBudget(_ budget: Int) {
        change { state in
            state.budget = budget
            return true
        }
    }

    /// The bytes of decoded pixels of all running jobs, at most.
    var decodedBytes: Int { state.withLock { $0.running } }

    /// The number of waiting jobs.
    var count: Int { state.withLock { $0.count } }

    /// Queues a job at the end of its priority's lane.
    func append(_ pending: PendingTransform) throws(Refusal) {
        try state.withLock { state throws(Refusal) in
            guard !state.isClosed else { throw .closed }
            guard state.count < state.limit else { throw .full }
            state.lanes[pending.job.priority.rawValue].append(pending)
        }
        event.signal()
    }

    /// Takes the next job, unless only background jobs wait, or the next one exceeds the budget together with those that run.
    ///
    /// Smaller jobs do not overtake it, or it might wait forever. The taker must call `release` after the job's last attempt.
    func take() -> PendingTransform? {
        event.take()
        return state.withLock { state in
            for lane in state.lanes.indices.reversed() where lane != Self.background && !state.lanes[lane].isEmpty {
                return take(from: lane, &state)
            }
            return nil
        }
    }

    /// Takes the next background job like `take`, unless other jobs wait.
    func takeBackground() -> PendingTransform? {
        state.withLock { state in
            let waiting = state.lanes[Self.background].count
            return waiting > 0 && waiting == state.count ? take(from: Self.background, &state) : nil
        }
    }

    private func take(from lane: Int, _ state: inout State) -> PendingTransform? {
        let bytes = state.lanes[lane][0].decodedBytes
        guard state.running == 0 || state.running + bytes <= state.budget else {
            if lane != Self.background { state.disappointed += 1 }
            return nil
        }
        state.running += bytes
        return state.lanes[lane].removeFirst()
    }

    /// Gives a taken job's share of the budget back, and wakes the drivers that could not take one.
    func release(_ pending: PendingTransform) {
        change { state in
            state.running -= pending.decodedBytes
            return true
        }
    }

    /// Changes the state, and if the closure returns true, wakes the drivers that could not take a job.
    private func change(_ apply: (inout State) -> Bool) {
        let waking = state.withLock { state -> Int in
            guard apply(&state) else { return 0 }
            defer { state.disappointed = 0 }
            return state.disappointed
        }
        for _ in 0..<waking { event.signal() }
    }

    /// Whether background jobs wait.
    var hasBackground: Bool { state.withLock { !$0.lanes[Self.background].isEmpty } }

    /// Removes a job if it still waits.
    ///
    /// Its signal stays raised; the driver that it wakes finds no job and waits again.
    func remove(_ pending: PendingTransform) {
        change { state in
            let count = state.count
            for lane in state.lanes.indices { state.lanes[lane].removeAll { $0 === pending } }
            return state.count < count
        }
    }

    /// Moves a job that waits with a lower priority to the end of a lane.
    func raise(_ pending: PendingTransform, to priority: RequestPriority) {
        let isRaised = state.withLock { state in
            for lane in 0..<priority.rawValue {
                guard let index = state.lanes[lane].firstIndex(where: { $0 === pending }) else { continue }
                state.lanes[priority.rawValue].append(state.lanes[lane].remove(at: index))
                return true
            }
            return false
        }
        // The signal of a background job may have been consumed by a driver that left it waiting.
        if isRaised { event.signal() }
    }

    /// Takes all waiting jobs.
    func drain() -> [PendingTransform] {
        state.withLock { state in
            defer { state.lanes = State.noLanes }
            return Array(state.lanes.reversed().joined())
        }
    }

    /// Refuses further jobs and takes all waiting ones.
    func close() -> [PendingTransform] {
        state.withLock { $0.isClosed = true }
        return drain()
    }
}
