import LinuxSystem

/// The jobs that wait for a worker: bounded, higher priorities first, first come first served within one.
final class TransformQueue: Sendable {
    private struct State {
        /// One lane a priority; short arrays (the limit is some hundreds), so removal by shifting costs nothing beside a transform.
        var lanes: [[PendingTransform]] = [[], [], []]
        var isClosed = false
        /// Jobs that may wait.
        var limit: Int
        var count: Int { lanes.reduce(0) { $0 + $1.count } }
    }

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

    /// Takes the next job, if one is there.
    func take() -> PendingTransform? {
        event.take()
        return state.withLock { state in
            for lane in state.lanes.indices.reversed() where !state.lanes[lane].isEmpty {
                return state.lanes[lane].removeFirst()
            }
            return nil
        }
    }

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
            defer { state.lanes = [[], [], []] }
            return Array(state.lanes.reversed().joined())
        }
    }

    /// Refuses jobs from now on, and takes all that wait.
    func close() -> [PendingTransform] {
        state.withLock { $0.isClosed = true }
        return drain()
    }
}
