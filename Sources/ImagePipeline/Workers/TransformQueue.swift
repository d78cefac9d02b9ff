import LinuxSystem

/// The jobs that wait for a worker: bounded, higher priorities first, first come first served within one.
final class TransformQueue: Sendable {
    private struct State {
        /// One lane a priority; short arrays (the limit is some hundreds), so removal by shifting costs nothing beside a transform.
        var lanes = noLanes
        var isClosed = false
        /// Jobs that may wait.
        var limit: Int
        var count: Int { lanes.reduce(0) { $0 + $1.count } }
        static let noLanes = [[PendingTransform]](repeating: [], count: 4)
    }

    private static let background = TransformJob.Priority.background.rawValue

    /// Why a job was not queued.
    enum Refusal: Error {
        case full
        case closed
    }

    /// Raised once for each job that came; drivers poll it.
    let event: WakeEvent
    private let state: Lock<State>

    init(limit: Int) throws(Errno) {
        state = Lock(State(limit: limit))
        event = try WakeEvent(semaphore: true)
    }

    /// Lets other numbers of jobs wait; those that do already stay.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    /// Jobs that wait.
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

    /// Takes the next job, if one is there; none of the background.
    func take() -> PendingTransform? {
        event.take()
        return state.withLock { state in
            for lane in state.lanes.indices.reversed() where lane != Self.background && !state.lanes[lane].isEmpty {
                return state.lanes[lane].removeFirst()
            }
            return nil
        }
    }

    /// Takes the next job of the background, unless others wait.
    func takeBackground() -> PendingTransform? {
        state.withLock { state in
            let waiting = state.lanes[Self.background].count
            return waiting > 0 && waiting == state.count ? state.lanes[Self.background].removeFirst() : nil
        }
    }

    /// Whether jobs of the background wait.
    var hasBackground: Bool { state.withLock { !$0.lanes[Self.background].isEmpty } }

    /// Takes a certain job out, if it still waits.
    ///
    /// Its signal stays raised: a driver finds nothing then, and goes on waiting.
    func remove(_ pending: PendingTransform) {
        state.withLock { state in
            state.lanes[pending.job.priority.rawValue].removeAll { $0 === pending }
        }
    }

    /// Takes all jobs.
    func drain() -> [PendingTransform] {
        state.withLock { state in
            defer { state.lanes = State.noLanes }
            return Array(state.lanes.reversed().joined())
        }
    }

    /// Refuses jobs from now on, and takes all that wait.
    func close() -> [PendingTransform] {
        state.withLock { $0.isClosed = true }
        return drain()
    }
}
