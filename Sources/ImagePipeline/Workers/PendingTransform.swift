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

    private struct State {
        var phase = Phase.queued
        var completion: Completion?
    }

    let id: UInt64
    /// The encoded job.
    let message: [UInt8]
    let job: TransformJob
    /// The time of arrival in monotonic nanoseconds.
    let arrival: Int64
    /// An upper bound of the bytes of decoded pixels while the job runs.
    let decodedBytes: Int
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
        self.queue = queue
        self.ends = ends
        state = Lock(State(completion: completion))
    }

    /// Marks the job as running on a worker; `false` if it was cancelled.
    func begin(_ driver: WakeEvent) -> Bool {
        state.withLock { state in
            if case .ended = state.phase { return false }
            state.phase = .running(driver)
            return true
        }
    }

    /// Whether the job was cancelled or has ended.
    var isAbandoned: Bool {
        state.withLock { state in
            if case .ended = state.phase { true } else { false }
        }
    }

    /// Runs the completion on the calling thread unless it has already run.
    func end(_ result: Result<TransformResult, PipelineError>) {
        take().completion?(result)
    }

    /// Runs the completion on the completion thread unless it has already run.
    func endElsewhere(_ error: PipelineError) {
        let (completion, driver) = take()
        guard let completion else { return }
        driver?.signal()
        ends.run { completion(.failure(error)) }
    }

    func raise(to priority: RequestPriority) { queue.raise(self, to: priority) }

    func cancel() {
        queue.remove(self)
        endElsewhere(.cancelled)
    }

    private func take() -> (completion: Completion?, driver: WakeEvent?) {
        state.withLock { state in
            defer {
                state.phase = .ended
                state.completion = nil
            }
            if case .running(let driver) = state.phase { return (state.completion, driver) }
            return (state.completion, nil)
        }
    }
}
