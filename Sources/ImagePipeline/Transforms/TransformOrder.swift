import HTTPCache
import ImagePlan
import LinuxSystem

/// One variant to be made of an original, from its ordering to its completion, which runs exactly once.
final class TransformOrder: TransformHandle {
    typealias Completion = @Sendable (Result<TransformResult, PipelineError>) -> Void

    private struct State: Sendable {
        var completion: Completion?
        /// Tells who makes it that it is not wanted any more.
        var leave: (@Sendable () -> Void)?
    }

    let request: VariantRequest
    let plan: String
    let outcome: OriginOutcome
    let body: OriginBody
    let priority: TransformJob.Priority
    /// The bucket that it is to answer; `nil` for the request's own.
    let bucket: FormatBucket?
    /// The other originals that the plan names.
    let ingredients: [TransformJob.Ingredient]
    /// The mezzanine that it may be made from; `nil` for the original alone.
    let mezzanine: Mezzanine?
    /// What its steps and its encoder will about take.
    let milliseconds: Int
    /// Runs a closure unless a purge has come between, and keeps what it makes from being kept otherwise.
    let publish: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Lock<State>

    init(
        request: VariantRequest,
        plan: String,
        outcome: OriginOutcome,
        body: OriginBody,
        priority: TransformJob.Priority,
        ingredients: [TransformJob.Ingredient] = [],
        mezzanine: Mezzanine?,
        bucket: FormatBucket? = nil,
        publish: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping Completion
    ) {
        self.request = request
        self.plan = plan
        self.outcome = outcome
        self.body = body
        self.priority = priority
        self.ingredients = ingredients
        self.mezzanine = mezzanine
        self.bucket = bucket
        milliseconds = Self.milliseconds(of: plan, request, outcome, bucket ?? request.bucket)
        self.publish = publish
        state = Lock(State(completion: completion))
    }

    /// Whether somebody still waits for it.
    var isWanted: Bool { state.withLock { $0.completion != nil } }

    /// Names who is to be told when it is not wanted any more; forgotten with its end, since that knows the order in turn.
    func onLeave(_ leave: @escaping @Sendable () -> Void) {
        let isWanted = state.withLock { state in
            guard state.completion != nil else { return false }
            state.leave = leave
            return true
        }
        if !isWanted { leave() }
    }

    /// Runs the completion, unless it has run.
    func end(_ result: Result<TransformResult, PipelineError>) { take().completion?(result) }

    func cancel() {
        let last = take()
        last.leave?()
        last.completion?(.failure(.cancelled))
    }

    private func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }

    /// What cannot be estimated will be refused, or is as dear as can be.
    private static func milliseconds(
        of plan: String,
        _ request: VariantRequest,
        _ outcome: OriginOutcome,
        _ bucket: FormatBucket?
    ) -> Int {
        let source = request.origin.source
        let maximumPixels = source.limits.pixels
        guard let plan = try? Plan(canonicalText: plan),
            let cost = try? CostEstimate(
                of: plan,
                header: outcome.origin.record.header,
                format: .jpeg,
                maximumPixels: maximumPixels
            )
        else { return .max }
        let encoding = EncodingCost.milliseconds(
            of: plan.settings,
            pixels: cost.encodedPixels,
            bucket: bucket ?? .rest,
            quality: request.quality,
            takesSmallest: request.bucket != nil && source.autoFormat == .smallest
        )
        return encoding.addingSaturated(cost.work / workPerMillisecond)
    }

    /// Cheap passes over a pixel in a millisecond: some nanoseconds each.
    private static let workPerMillisecond = 200_000
}
