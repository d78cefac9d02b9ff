import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// The order of one variant; its completion runs exactly once.
final class TransformOrder: Sendable {
    typealias Completion = @Sendable (Result<TransformResult, PipelineError>) -> Void

    private struct State: Sendable {
        var completion: Completion?
        /// Called when the order is cancelled.
        var leave: (@Sendable () -> Void)?
        /// Called when other clients wait for the order.
        var follow: (@Sendable () -> Void)?
        /// Whether other clients have waited for it than at first.
        var hasChanged = false
    }

    let request: VariantRequest
    let plan: String
    let outcome: OriginOutcome
    /// The bytes of the original, or of `copy`.
    let body: OriginBody
    /// The lossless copy or the mezzanine that replaces the original; `nil` for the original itself.
    let copy: MezzanineStage.Found?
    /// The clients and the deadline.
    let context: LoadContext
    /// The format bucket; `nil` for the request's own.
    let bucket: FormatBucket?
    /// The search for the encoding.
    let search: EncodingSearch
    /// The plan's auxiliary images.
    let auxiliaries: [TransformJob.Auxiliary]
    /// The smallest mezzanine that can replace the original; `nil` if none can.
    let mezzanine: Mezzanine?
    /// The mezzanines that cost little to make with it, smallest first.
    let byproducts: [Mezzanine]
    /// The place in the log of purges when the request began; `nil` if other nodes do not get a mezzanine of the original.
    let sharedPlace: SharedPlace?
    /// The estimated time of its steps and encoder.
    let milliseconds: Int
    /// Runs a storing closure unless the flight was purged.
    let publish: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Lock<State>

    init(
        request: VariantRequest,
        plan: String,
        outcome: OriginOutcome,
        body: OriginBody,
        copy: MezzanineStage.Found? = nil,
        context: LoadContext,
        auxiliaries: [TransformJob.Auxiliary] = [],
        mezzanine: Mezzanine?,
        byproducts: [Mezzanine] = [],
        bucket: FormatBucket? = nil,
        secondEffort: Int? = nil,
        sharedPlace: SharedPlace? = nil,
        publish: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping Completion
    ) {
        self.request = request
        self.plan = plan
        self.outcome = outcome
        self.body = body
        self.copy = copy
        self.context = context
        self.auxiliaries = auxiliaries
        self.mezzanine = mezzanine
        self.byproducts = byproducts
        self.bucket = bucket
        var search = request.encodingSearch
        search.secondEffort = secondEffort
        self.search = search
        self.sharedPlace = sharedPlace
        milliseconds = Self.milliseconds(of: plan, request, outcome, bucket ?? request.bucket, search)
        self.publish = publish
        state = Lock(State(completion: completion))
    }

    /// The most urgent priority of the clients that wait for it.
    var priority: RequestPriority { max(context.priority, context.claims.all.urgency) }

    /// The clients that wait for it.
    var turns: [Claim] { context.claims.turns(else: Claim(context.account, context.priority)) }

    /// Whether it has the original's content, or a lossless copy of it, and not only a mezzanine.
    var hasWholeImage: Bool { copy?.mezzanine == nil }

    /// Sets what adapts the order's place in its queue to the clients that wait for it; called at once if they have changed.
    func onChange(_ follow: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            guard state.completion != nil else { return false }
            state.follow = follow
            return state.hasChanged
        }
        if isLate { follow() }
    }

    func waitersChanged() {
        let follow = state.withLock { state in
            state.hasChanged = true
            return state.follow
        }
        follow?()
    }

    /// Whether the order has neither ended nor been cancelled.
    var isWanted: Bool { state.withLock { $0.completion != nil } }

    /// Sets a closure to call on cancellation, released when the order ends; it runs immediately if the order has already ended.
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

    /// Estimates the cost; an order without an estimate is treated as maximally expensive.
    private static func milliseconds(
        of plan: String,
        _ request: VariantRequest,
        _ outcome: OriginOutcome,
        _ bucket: FormatBucket?,
        _ search: EncodingSearch
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
            search: search
        )
        return encoding.addingSaturated(cost.work / workPerMillisecond)
    }

    /// Units of `CostEstimate.work` per millisecond; a unit takes a few nanoseconds.
    private static let workPerMillisecond = 200_000
}
