import HTTPCache
import HTTPSemantics
package import ImagePlan
import LinuxSystem

/// Answers under overload: a queue has refused a request, or has dropped it.
extension Pipeline {
    /// Nanoseconds after which a request that has waited in vain is not queued once more.
    private static let patience: Int64 = 500_000_000

    /// Loads a variant; if there is no room for it, answers with something that is stored.
    ///
    /// Requests for one variant share the look-up. If nothing suitable is stored, they fail with their own failures.
    func loadOrBrownOut(
        _ request: VariantRequest,
        _ context: LoadContext,
        _ completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> Subscription {
        let place = ChangingPlace()
        let start = parts.time.monotonic
        var plain = context
        plain.takesBrownout = false
        let loading = load(request, plain) { [self] result in
            guard case .failure(let error) = result, error.isOverload, !place.hasLeft else { return completion(result) }
            let isPatient = parts.time.monotonic - start < Self.patience
            place.take(brownOut(request, context, after: error, isPatient: isPatient, completion), step: 1)
        }
        place.take(loading, step: 0)
        return Subscription { place.leave() }
    }

    private func brownOut(
        _ request: VariantRequest,
        _ context: LoadContext,
        after error: PipelineError,
        isPatient: Bool,
        _ completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> Subscription {
        variants.join(
            CacheKey(hashing: "brownout/1\n\(flightKey(request, context))\n\(isPatient)"),
            about: PurgeSubject(request),
            account: context.account,
            deadline: context.deadline,
            priority: context.priority
        ) { outcome, _ in
            guard case .success(var answer) = outcome else { return completion(.failure(error)) }
            // A variant that has been stored meanwhile is a hit.
            if answer.rung != nil, let status = CacheStatus(error) { answer.status = status }
            completion(.success(answer))
        } start: { flight in
            BrownoutTask(request, context, pipeline: self, flight: flight, isPatient: isPatient).start()
        }
    }

    /// Whether work of background priority can ever start.
    package var hasBackground: Bool { parts.transformer.hasBackground }

    /// Returns the bucket without formats that no worker encodes, so that clients which accept these share the variants of the others.
    package func bucket(limiting bucket: FormatBucket) -> FormatBucket {
        guard bucket > .webp else { return bucket }
        var bucket = bucket
        if bucket.hasAVIF, !parts.transformer.encodes(.avif) { bucket = bucket.withoutAVIF }
        if bucket.hasJXL, !parts.transformer.encodes(.jxl) { bucket = bucket.withoutJXL }
        return bucket
    }

    /// Whether work without a waiting client should be put off.
    package var isLoaded: Bool { parts.transformer.isLoaded }
}

/// A client's place, first in the flight of its request and then in that of the answer under overload.
private final class ChangingPlace: Sendable {
    private struct State: Sendable {
        var subscription: Subscription?
        var step = -1
        var hasLeft = false
    }

    private let state = Lock(State())

    /// Whether the client has left.
    var hasLeft: Bool { state.withLock { $0.hasLeft } }

    /// Takes a place, unless the client has a later one.
    func take(_ subscription: Subscription, step: Int) {
        let hasLeft = state.withLock { state -> Bool in
            guard step > state.step else { return false }
            state.step = step
            state.subscription = state.hasLeft ? nil : subscription
            return state.hasLeft
        }
        if hasLeft { subscription.cancel() }
    }

    func leave() {
        let subscription = state.withLock { state in
            state.hasLeft = true
            return state.subscription.take()
        }
        subscription?.cancel()
    }
}
