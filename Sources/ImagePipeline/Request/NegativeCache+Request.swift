import HTTPCache

extension NegativeCache where Failure == PipelineError {
    /// Whether the cached failures of a request's originals permit a stale response; a denied original forbids it.
    func allowStale(_ request: VariantRequest, for caller: OriginCaller = .nobody) -> Bool {
        ([request.origin] + request.auxiliaries.map(\.origin)).allSatisfy { origin in
            backoffError(for: origin.failureKey(for: caller))?.allowsStale != false
        }
    }
}
