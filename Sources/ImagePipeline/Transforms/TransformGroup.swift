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
    /// Times how long orders wait for a job in the turns of others; `nil` for a job of one order.
    private let delays: DelayLine?
    private let state = Lock(State())

    private struct State: Sendable {
        var handle: (any TransformHandle)?
        /// The jobs of orders that are made apart, by index.
        var apart: [Int: any TransformHandle] = [:]
        /// The orders that are to be made apart if the job has not started soon, by index.
        var impatient: Set<Int> = []
        var isOver = false
    }

    /// - Parameter ended: called once, when all orders have ended.
    init(
        parts: PipelineParts,
        orders: [TransformOrder],
        source: MezzanineStage.Found?,
        extras: [Mezzanine] = [],
        delays: DelayLine? = nil,
        ended: @escaping @Sendable () -> Void
    ) {
        self.parts = parts
        self.orders = orders
        self.source = source
        self.extras = extras
        self.delays = orders.count > 1 ? delays : nil
        self.ended = ended
    }

    /// Submits the job.
    func start() {
        guard let first = orders.first else { return ended() }
        var others = extras.map { TransformStage.output(of: first.request, plan: $0.planText) }
        if wantsPlaceholder { others.append(TransformStage.placeholderOutput(first.request)) }
        let handle = submit(orders, others, for: { $0.turns }) { [self] result in
            end()
            switch result {
            case .success(let made): deliver(made)
            case .failure(let error): fail(error)
            }
        }
        state.withLock { $0.handle = handle }
        for (index, order) in orders.enumerated() {
            order.onLeave { [self] in
                follow(index)
                cancelIfUnwanted()
            }
            order.onChange { [self] in
                follow(index)
                handle.waitersChanged()
            }
            follow(index)
        }
    }

    /// Submits a job for some of the orders.
    ///
    /// - Parameters:
    ///   - others: further outputs.
    ///   - turns: returns the clients in whose turns the job may start.
    private func submit(
        _ orders: [TransformOrder],
        _ others: [WorkerJob.Output],
        for turns: @escaping @Sendable (TransformGroup) -> [Claim],
        completion: @escaping TransformOrder.Completion
    ) -> any TransformHandle {
        let first = orders[0]
        var outputs = orders.map { order in
            TransformStage.output(
                of: order.request,
                plan: order.plan,
                bucket: order.bucket,
                search: order.search
            )
        }
        outputs += others
        var job = TransformStage.job(
            of: first.request.origin,
            outputs: outputs,
            header: first.outcome.origin.record.header,
            body: source?.body ?? first.body,
            priority: orders.map(\.priority).max() ?? .normal
        )
        job.auxiliaries = first.auxiliaries
        job.account = turns(self).first?.account
        job.claims = SharedClaims(of: { [weak self] in self.map(turns)?.map { SharedClaims($0) } ?? [] })
        job.deadline = SharedDeadline(latestOf: { orders.filter(\.isWanted).map(\.context.deadline) })
        if let source {
            job.reduction = Reduction(factor: source.factor, original: job.header)
            job.header.format = source.format
        }
        return parts.transformer.transform(job, completion: completion)
    }

    // MARK: Clients

    /// The clients in whose turns the job may start: the one that waits for most of it, and others that wait for half of it at least.
    ///
    /// So a client that waits for little does not pay for the rest.
    private var turns: [Claim] {
        var shares: [(claim: Claim, cost: Int)] = []
        var whole = 0
        for order in orders where order.isWanted {
            whole = whole.addingSaturated(order.milliseconds)
            for claim in order.turns {
                if let index = shares.firstIndex(where: { $0.claim.account == claim.account }) {
                    shares[index].claim.priority = max(shares[index].claim.priority, claim.priority)
                    shares[index].cost = shares[index].cost.addingSaturated(order.milliseconds)
                } else {
                    shares.append((claim, order.milliseconds))
                }
            }
        }
        let most = shares.map(\.cost).max()
        // Of equal ones, that of the first order.
        guard let index = shares.firstIndex(where: { $0.cost == most }) else { return [] }
        var first = shares.remove(at: index).claim
        // Clients do not wait for the rest as if it were for later.
        if first.isOwn { first.priority = max(first.priority, shares.map(\.claim).urgency) }
        return [first] + shares.filter { $0.cost >= whole - $0.cost }.map(\.claim)
    }

    /// Whether the job also makes the original's placeholder.
    private var wantsPlaceholder: Bool {
        orders.first.map { TransformStage.wantsPlaceholder($0.request, plan: $0.plan, of: $0.outcome.origin.record) }
            ?? false
    }

    /// The clients that wait for an order, and in whose turns the job does not start.
    private func clientsWithoutTurn(_ index: Int) -> [Claim] {
        let turns = turns
        return orders[index].turns.filter { claim in
            !claim.isOwn && !turns.contains { $0.account == claim.account }
        }
    }

    /// Has an order made apart for clients that have waited for a while, unless the job has started: in their turns, and by a job that
    /// costs them what it would have cost without the others.
    private func follow(_ index: Int) {
        guard let delays else { return }
        guard orders[index].isWanted, !clientsWithoutTurn(index).isEmpty else {
            let apart = state.withLock { $0.apart.removeValue(forKey: index) }
            apart?.cancel()
            return
        }
        if let apart = state.withLock({ $0.apart[index] }) { return apart.waitersChanged() }
        guard state.withLock({ !$0.isOver && $0.impatient.insert(index).inserted }) else { return }
        if !delays.run(after: TransformGroups.patience, { [self] in makeApart(index) }) { makeApart(index) }
    }

    private func makeApart(_ index: Int) {
        let order = orders[index]
        let handle = state.withLock { state in
            state.impatient.remove(index)
            return state.isOver ? nil : state.handle
        }
        guard handle?.isWaiting == true, order.isWanted, !clientsWithoutTurn(index).isEmpty else { return }
        let apart = submit([order], [], for: { $0.clientsWithoutTurn(index) }) { [self] result in
            // After a failure, it is made with the others.
            guard case .success(let made) = result, let picture = made.pictures.first, made.pictures.count == 1 else {
                return
            }
            parts.encodings.note(picture.description, of: order.search)
            order.end(result)
            cancelIfUnwanted()
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.apart[index] = apart }
            return state.isOver
        }
        // Clients may have left meanwhile.
        if isOver { apart.cancel() } else { follow(index) }
    }

    private func cancelIfUnwanted() {
        guard !orders.contains(where: \.isWanted) else { return }
        state.withLock { $0.handle }?.cancel()
    }

    /// Ends what has been started beside the job.
    private func end() {
        let apart = state.withLock { state in
            state.isOver = true
            defer { state.apart = [:] }
            return state.apart.values
        }
        for handle in apart { handle.cancel() }
    }

    // MARK: Results

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
