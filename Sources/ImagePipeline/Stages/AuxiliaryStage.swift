import HTTPCache
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Stages 4 to 6 for auxiliary images: fetches all originals that a variant needs concurrently, each in a shared flight.
///
/// Starts on any thread; ends on the thread that delivers the last image or the first failure.
final class AuxiliaryStage: Sendable {
    typealias Completion = @Sendable (Result<[OriginOutcome], PipelineError>) -> Void

    private struct State: Sendable {
        var outcomes: [Int: OriginOutcome] = [:]
        var subscriptions: [Subscription] = []
        var completion: Completion?
    }

    private let auxiliaries: [Auxiliary]
    private let context: LoadContext
    private let needsBodies: Bool
    private let originals: Originals
    private let state: Lock<State>

    /// - Parameters:
    ///   - needsBodies: whether the bytes are needed; otherwise only freshness is checked.
    ///   - completion: called exactly once unless cancelled, with the outcomes in the order of `auxiliaries`.
    init(
        _ auxiliaries: [Auxiliary],
        _ context: LoadContext,
        needsBodies: Bool,
        originals: Originals,
        completion: @escaping Completion
    ) {
        self.auxiliaries = auxiliaries
        self.context = context
        self.needsBodies = needsBodies
        self.originals = originals
        state = Lock(State(completion: completion))
    }

    /// Requests all images.
    func start() {
        for index in auxiliaries.indices { join(index, for: .any) }
    }

    /// Leaves all flights; the completion is not called.
    func cancel() { take(nil)?.cancelAll() }

    /// Reports that the clients have changed that wait.
    func waitersChanged() {
        for subscription in state.withLock({ $0.subscriptions }) { subscription.waitersChanged() }
    }

    private func join(_ index: Int, for purpose: Originals.Purpose) {
        guard state.withLock({ $0.completion != nil }) else { return }
        let subscription = originals.join(
            auxiliaries[index].origin,
            context,
            purpose: purpose,
            needsBody: needsBodies
        ) { [self] result in
            switch result {
            // The joined flight may have checked freshness only.
            case .success(let outcome) where needsBodies && outcome.body == nil && purpose == .any:
                join(index, for: .body)
            case .success(let outcome): arrive(outcome, at: index)
            case .failure(let error): fail(error, at: index)
            }
        }
        let isOver = state.withLock { state in
            state.subscriptions.append(subscription)
            return state.completion == nil
        }
        if isOver { subscription.cancel() }
    }

    private func arrive(_ outcome: OriginOutcome, at index: Int) {
        let auxiliary = auxiliaries[index]
        if needsBodies {
            guard outcome.body != nil else {
                return fail(.notDelivered, at: index)
            }
            let header = outcome.origin.record.header
            let (plan, source) = (Plan.identity.canonicalText, auxiliary.origin.source)
            if let refusal = HeaderGate.refusal(of: header, plan: plan, source: source) {
                return fail(refusal.concealed(by: source), at: index)
            }
        }
        let (all, completion) = state.withLock { state -> ([OriginOutcome], Completion?) in
            state.outcomes[index] = outcome
            guard state.outcomes.count == auxiliaries.count else { return ([], nil) }
            defer { state.completion = nil }
            return (auxiliaries.indices.compactMap { state.outcomes[$0] }, state.completion)
        }
        completion?(.success(all))
    }

    private func fail(_ error: PipelineError, at index: Int) {
        take(.failure(.auxiliary(auxiliaries[index].parameter, error.bare)))?.cancelAll()
    }

    /// Ends the stage, and returns the subscriptions; `nil` if it has already ended.
    private func take(_ result: Result<[OriginOutcome], PipelineError>?) -> [Subscription]? {
        let (completion, subscriptions) = state.withLock { state in
            defer {
                state.completion = nil
                state.subscriptions = []
            }
            return (state.completion, state.subscriptions)
        }
        guard let completion else { return nil }
        if let result { completion(result) }
        return subscriptions
    }
}

extension [Subscription] {
    fileprivate func cancelAll() {
        for subscription in self { subscription.cancel() }
    }
}

extension OriginOutcome {
    /// Combines the outcomes of an original and its auxiliary images: the longest fetch, the strictest storability.
    func joined(by auxiliaries: [OriginOutcome]) -> OriginOutcome {
        var joined = self
        joined.storable = storable && auxiliaries.allSatisfy(\.storable)
        // The phases stay those of the slowest fetch.
        for other in auxiliaries where other.fetchMicroseconds > joined.fetchMicroseconds {
            (joined.fetchMicroseconds, joined.phases) = (other.fetchMicroseconds, other.phases)
        }
        if isStored, let other = auxiliaries.first(where: { !$0.isStored }) { joined.status = other.status }
        return joined
    }
}

extension TransformJob.Auxiliary {
    /// Describes an auxiliary image for a worker; `nil` without a body.
    init?(_ auxiliary: Auxiliary, _ outcome: OriginOutcome) {
        guard let body = outcome.body else { return nil }
        self.init(
            source: body.file,
            description: WorkerJob.Auxiliary(
                name: auxiliary.name,
                length: body.length,
                format: outcome.origin.record.header.format,
                maximumPixels: auxiliary.origin.source.limits.pixels
            )
        )
    }
}
