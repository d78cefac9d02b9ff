import HTTPCache
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Stages 4 to 6 for auxiliary images: fetches all originals that a variant needs concurrently, each in a shared flight.
///
/// Starts on any thread; ends on the thread that delivers the last image or the first failure.
final class IngredientStage: Sendable {
    typealias Completion = @Sendable (Result<[OriginOutcome], PipelineError>) -> Void

    private struct State: Sendable {
        var outcomes: [Int: OriginOutcome] = [:]
        var subscriptions: [Subscription] = []
        var completion: Completion?
    }

    private let ingredients: [Ingredient]
    private let context: LoadContext
    private let needsBodies: Bool
    private let originals: Originals
    private let state: Lock<State>

    /// - Parameters:
    ///   - needsBodies: whether the bytes are needed; otherwise only freshness is checked.
    ///   - completion: called exactly once unless cancelled, with the outcomes in the order of `ingredients`.
    init(
        _ ingredients: [Ingredient],
        _ context: LoadContext,
        needsBodies: Bool,
        originals: Originals,
        completion: @escaping Completion
    ) {
        self.ingredients = ingredients
        self.context = context
        self.needsBodies = needsBodies
        self.originals = originals
        state = Lock(State(completion: completion))
    }

    /// Requests all images.
    func start() {
        for index in ingredients.indices { join(index, for: .any) }
    }

    /// Leaves all flights; the completion is not called.
    func cancel() { take(nil)?.cancelAll() }

    private func join(_ index: Int, for purpose: Originals.Purpose) {
        guard state.withLock({ $0.completion != nil }) else { return }
        let subscription = originals.join(
            ingredients[index].origin,
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
        let ingredient = ingredients[index]
        if needsBodies {
            guard outcome.body != nil else {
                return fail(.originProtocol("the original was not delivered"), at: index)
            }
            let header = outcome.origin.record.header
            let (plan, source) = (Plan.identity.canonicalText, ingredient.origin.source)
            if let refusal = HeaderGate.refusal(of: header, plan: plan, source: source) {
                return fail(refusal.concealed(by: source), at: index)
            }
        }
        let (all, completion) = state.withLock { state -> ([OriginOutcome], Completion?) in
            state.outcomes[index] = outcome
            guard state.outcomes.count == ingredients.count else { return ([], nil) }
            defer { state.completion = nil }
            return (ingredients.indices.compactMap { state.outcomes[$0] }, state.completion)
        }
        completion?(.success(all))
    }

    private func fail(_ error: PipelineError, at index: Int) {
        take(.failure(.ingredient(ingredients[index].parameter, error.bare)))?.cancelAll()
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
    func joined(by ingredients: [OriginOutcome]) -> OriginOutcome {
        var joined = self
        joined.storable = storable && ingredients.allSatisfy(\.storable)
        joined.fetchMicroseconds = ingredients.reduce(fetchMicroseconds) { max($0, $1.fetchMicroseconds) }
        if isStored, let other = ingredients.first(where: { !$0.isStored }) { joined.status = other.status }
        return joined
    }
}

extension TransformJob.Ingredient {
    /// Describes an auxiliary image for a worker; `nil` without a body.
    init?(_ ingredient: Ingredient, _ outcome: OriginOutcome) {
        guard let body = outcome.body else { return nil }
        self.init(
            source: body.file,
            description: WorkerJob.Ingredient(
                name: ingredient.name,
                length: body.length,
                format: outcome.origin.record.header.format,
                maximumPixels: ingredient.origin.source.limits.pixels
            )
        )
    }
}
