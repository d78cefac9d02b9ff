import HTTPCache
import HTTPSemantics

extension NegativeCache where Failure == PipelineError {
    /// Whether what is remembered of a request's originals lets a stale picture be served: where an origin denies one, none is.
    func allowStale(_ request: VariantRequest, for caller: OriginCaller = .nobody) -> Bool {
        ([request.origin] + request.auxiliaries.map(\.origin)).allSatisfy { origin in
            backoffError(for: origin.failureKey(for: caller))?.allowsStale != false
        }
    }
}
