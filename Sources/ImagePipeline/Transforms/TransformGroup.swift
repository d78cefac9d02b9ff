import HTTPSemantics
import HTTPCache
import ImagePlan
import LinuxSystem

/// Makes several variants in one job, with a single decode of their source.
final class TransformGroup: Sendable {
    private let parts: PipelineParts
    private let orders: [TransformOrder]
    /// The mezzanine or the lossless copy that replaces the original as source.
    private let source: MezzanineStage.Found?
    /// Mezzanines to make in the same job.
    private let extras: [Mezzanine]
    private let ended: @Sendable () -> Void
    private let handle = Lock<(any TransformHandle)?>(nil)

    /// - Parameter ended: called once, when all orders have ended.
    init(
        parts: PipelineParts,
        orders: [TransformOrder],
        source: MezzanineStage.Found?,
        extras: [Mezzanine] = [],
        ended: @escaping @Sendable () -> Void
    ) {
        self.parts = parts
        self.orders = orders
        self.source = source
        self.extras = extras
        self.ended = ended
    }

    /// Submits the job.
    func start() {
        guard let first = orders.first else { return ended() }
        let body = source?.body ?? first.body
        var outputs = orders.map { order in
            TransformStage.output(
                of: order.request,
                plan: order.plan,
                bucket: order.bucket,
                search: order.search
            )
        }
        outputs += extras.map { TransformStage.output(of: first.request, plan: $0.planText) }
        if wantsPlaceholder { outputs.append(TransformStage.placeholderOutput(first.request)) }
        var job = TransformStage.job(
            of: first.request.origin,
            outputs: outputs,
            header: first.outcome.origin.record.header,
            body: body,
            priority: orders.map(\.priority).max() ?? .normal
        )
        job.auxiliaries = first.auxiliaries
        job.account = account
        job.deadline = SharedDeadline(latestOf: { [orders] in
            orders.filter(\.isWanted).map(\.context.deadline)
        })
        if let source {
            job.reduction = Reduction(factor: source.factor, original: job.header)
            job.header.format = source.format
        }
        let handle = parts.transformer.transform(job) { [self] result in
            switch result {
            case .success(let made): deliver(made)
            case .failure(let error): fail(error)
            }
        }
        self.handle.withLock { $0 = handle }
        for order in orders {
            order.onLeave { [self] in cancelIfUnwanted() }
            order.onRaise { handle.raise(to: $0) }
        }
    }

    /// The client whose orders are most of the job, which it is charged to.
    private var account: String? {
        var costs: [String?: Int] = [:]
        for order in orders {
            let account = order.context.account
            costs[account] = costs[account, default: 0].addingSaturated(order.milliseconds)
        }
        // Of equal ones, that of the first order.
        let most = costs.values.max()
        return orders.first { costs[$0.context.account] == most }?.context.account
    }

    /// Whether the job also makes the original's placeholder.
    private var wantsPlaceholder: Bool {
        orders.first.map { TransformStage.wantsPlaceholder($0.request, plan: $0.plan, of: $0.outcome.origin.record) }
            ?? false
    }

    private func cancelIfUnwanted() {
        guard !orders.contains(where: \.isWanted) else { return }
        handle.withLock { $0 }?.cancel()
    }

    private func deliver(_ made: TransformResult) {
        var pictures = made.pictures
        guard pictures.count == orders.count + extras.count + (wantsPlaceholder ? 1 : 0) else {
            return fail(.workerLost)
        }
        let placeholder = wantsPlaceholder ? pictures.popLast() : nil
        keep(pictures[orders.count...])
        if source?.mezzanine != nil { parts.sharing.noteUsed(orders.count) }
        if orders.count > 1 { parts.sharing.noteShared(orders.count - 1) }
        for (order, picture) in zip(orders, pictures) {
            parts.encodings.note(picture.description, of: order.search)
            let own = [picture] + (placeholder.map { [$0] } ?? [])
            order.end(.success(TransformResult(pictures: own, timing: made.timing, queued: made.queued)))
        }
        ended()
    }

    /// Stores the mezzanines, except for those that would have needed a decode of their own.
    private func keep(_ pictures: ArraySlice<TransformResult.Picture>) {
        guard let first = orders.first else { return }
        let stage = MezzanineStage(parts: parts)
        for (extra, picture) in zip(extras, pictures) where picture.description.format.image != nil {
            first.publish {
                stage.keep(picture, as: extra, of: first.outcome.origin.record, sharedAt: first.sharedPlace)
            }
            parts.sharing.noteMade()
        }
    }

    /// Retries each order alone and from the original or its lossless copy, if another output or the mezzanine may have caused the
    /// failure; an order that has neither fails.
    ///
    /// A single order that takes too long is not retried: making mezzanines costs little beside it, and using one is cheaper.
    private func fail(_ error: PipelineError) {
        let wasAlone =
            orders.count == 1 && (error.traits.isCostDependent || extras.isEmpty && source?.mezzanine == nil)
        guard !wasAlone, error.traits.isRetryableAlone else {
            for order in orders { order.end(.failure(error)) }
            return ended()
        }
        let whole = orders.filter(\.hasWholeImage)
        for order in orders where !order.hasWholeImage { order.end(.failure(error)) }
        guard let one = whole.first else { return ended() }
        // The tasks of the other orders discard theirs.
        if let source, MezzanineStage.isUndecodable(error) {
            MezzanineStage(parts: parts).discard(source, of: one.outcome.origin.record)
        }
        let rest = Lock(whole.count)
        for order in whole {
            TransformGroup(parts: parts, orders: [order], source: order.copy) { [ended] in
                let isLast = rest.withLock { rest in
                    rest -= 1
                    return rest == 0
                }
                if isLast { ended() }
            }
            .start()
        }
    }
}
