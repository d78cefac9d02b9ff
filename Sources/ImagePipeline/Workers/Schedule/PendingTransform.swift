import HTTPSemantics
import ImagePlan
import LinuxSystem

/// A job of the pool, from its arrival to its completion, which runs exactly once.
final class PendingTransform: TransformHandle {
    typealias Completion = @Sendable (Result<TransformResult, PipelineError>) -> Void

    private enum Phase {
        case queued
        /// On a worker; its driver polls this event.
        case running(WakeEvent)
        case ended
    }

    /// What the duration of a run says about the next job of its kind.
    enum Measure {
        case exact
        /// It was ended before its result.
        case atLeast
    }

    private struct State {
        var phase = Phase.queued
        var completion: Completion?
        /// The driver of the last run.
        var driver: WakeEvent?
        var measure: Measure?
        var isStopRequested = false
        var isSetBack = false
        var hasOverrun = false
        var isExtra = false
    }

    let id: UInt64
    /// The encoded job.
    let message: [UInt8]
    let job: TransformJob
    /// The time of arrival in monotonic nanoseconds.
    let arrival: Int64
    /// An upper bound of the bytes of decoded pixels while the job runs.
    let decodedBytes: Int
    /// The duration expected from its header and plans alone.
    let estimate: JobEstimate
    private let queue: TransformQueue
    private let ends: CompletionThread
    private let state: Lock<State>

    init(
        id: UInt64,
        message: [UInt8],
        job: TransformJob,
        arrival: Int64,
        queue: TransformQueue,
        ends: CompletionThread,
        completion: @escaping Completion
    ) {
        self.id = id
        self.message = message
        self.job = job
        self.arrival = arrival
        decodedBytes =
            if let reduction = job.reduction {
                reduction.size.pixels.multipliedSaturated(by: DecodeBudget.bytesPerPixel)
            } else {
                DecodeBudget.estimate(
                    of: job.header,
                    plans: job.message.outputs.map(\.plan),
                    within: job.message.animation.bytes
                )
            }
        estimate = JobEstimate(of: job)
        self.queue = queue
        self.ends = ends
        state = Lock(State(completion: completion))
    }

    /// The job as the schedule sees it.
    func queued(_ correction: CostCorrection) -> TransformSchedule<PendingTransform>.Job {
        let limit = Int64(job.deadlineMilliseconds).multipliedCapped(by: 1_000_000)
        return TransformSchedule.Job(
            id: id,
            account: job.account,
            priority: job.priority,
            cost: min(limit, correction.corrected(estimate)),
            limit: limit,
            bytes: decodedBytes,
            item: self
        )
    }

    /// Marks the job as running on a worker; `false` if it was cancelled.
    func begin(_ driver: WakeEvent) -> Bool {
        state.withLock { state in
            if case .ended = state.phase { return false }
            state.phase = .running(driver)
            state.driver = driver
            (state.isStopRequested, state.isSetBack, state.measure) = (false, false, nil)
            return true
        }
    }

    /// Asks the driver that runs the job to end it, because others wait for its worker.
    func stop() {
        let driver = state.withLock { state in
            state.isStopRequested = true
            return state.driver
        }
        driver?.signal()
    }

    /// Whether the job must give way to others.
    var isStopRequested: Bool { state.withLock(\.isStopRequested) }

    /// Marks a job that was ended for others, so that `TransformQueue.release` queues it again; `false` if it was cancelled.
    func setBack() -> Bool {
        state.withLock { state in
            guard case .running = state.phase else { return false }
            (state.phase, state.isSetBack, state.measure) = (.queued, true, .atLeast)
            state.hasOverrun = true
            return true
        }
    }

    /// Whether the job was ended for others and has not started again.
    var isSetBack: Bool { state.withLock(\.isSetBack) }

    /// Whether the job was ended for others once.
    var hasOverrun: Bool { state.withLock(\.hasOverrun) }

    /// Whether it runs beside another job of its client, or in the background; set when it is taken from the queue.
    var isExtra: Bool {
        get { state.withLock(\.isExtra) }
        set { state.withLock { $0.isExtra = newValue } }
    }

    /// What the last run says about its kind; `nil` for nothing.
    var measure: Measure? { state.withLock(\.measure) }

    /// Fails a job that will not get a worker in time.
    func drop() { endElsewhere(.workerWaitTooLong) }

    /// Whether the job was cancelled or has ended.
    var isAbandoned: Bool {
        state.withLock { state in
            if case .ended = state.phase { true } else { false }
        }
    }

    /// Runs the completion on the calling thread unless it has already run.
    func end(_ result: Result<TransformResult, PipelineError>) {
        state.withLock { state in
            switch result {
            case .success: state.measure = .exact
            case .failure(.transformTimeout): state.measure = .atLeast
            case .failure: break
            }
        }
        take().completion?(result)
    }

    /// Runs the completion on the completion thread unless it has already run.
    func endElsewhere(_ error: PipelineError) {
        finish(take(), error)
    }

    private func finish(_ last: (completion: Completion?, driver: WakeEvent?), _ error: PipelineError) {
        guard let completion = last.completion else { return }
        last.driver?.signal()
        ends.run { completion(.failure(error)) }
    }

    var isWaiting: Bool {
        state.withLock { state in
            if case .queued = state.phase { true } else { false }
        }
    }

    func waitersChanged() {
        queue.update(self)
        // Only jobs that clients wait for are reviewed.
        ends.noteWaiting()
    }

    func cancel() {
        // Nothing sets back a job that has ended.
        let last = take()
        queue.remove(self)
        finish(last, .cancelled)
    }

    private func take() -> (completion: Completion?, driver: WakeEvent?) {
        state.withLock { state in
            defer {
                state.phase = .ended
                state.completion = nil
                // One that has been set back and not yet released must not be queued again.
                state.isSetBack = false
            }
            if case .running(let driver) = state.phase { return (state.completion, driver) }
            return (state.completion, nil)
        }
    }
}
