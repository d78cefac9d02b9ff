import HTTPCache
import OriginTransfer

extension NegativeCache where Failure == PipelineError {
    /// Whether what is remembered of a request's originals lets a stale picture be served: where an origin denies one, none is.
    func allowStale(_ request: VariantRequest, for caller: OriginCaller = .nobody) -> Bool {
        ([request.origin] + request.ingredients.map(\.origin)).allSatisfy { origin in
            backoffError(for: origin.failureKey(for: caller))?.allowsStale != false
        }
    }

    /// Remembers a failure of a request for an original.
    ///
    /// - Parameter ingredients: the other originals that it may be the failure of.
    func record(
        _ key: CacheKey,
        _ error: PipelineError,
        of request: OriginRequest,
        plan: String? = nil,
        ingredients: [PurgeSubject] = [],
        hints: RetryHints = RetryHints(),
        hasStored: Bool = false
    ) {
        var subject = PurgeSubject(request)
        subject.ingredients = ingredients
        record(key, error, about: subject, url: request.target.text, plan: plan, hints: hints, hasStored: hasStored)
    }
}
