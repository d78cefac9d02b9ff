import HTTPCache
import HTTPSemantics

extension NegativeCache where Failure == PipelineError {
    /// Whether the cached failures of a request's originals permit a stale response; a denied original forbids it.
    func allowStale(_ request: VariantRequest, for caller: OriginCaller = .nobody) -> Bool {
        ([request.origin] + request.auxiliaries.map(\.origin)).allSatisfy { origin in
            backoffError(for: origin.failureKey(for: caller))?.allowsStale != false
        }
    }
}

extension PipelineError {
    /// Returns the failure that responses may reveal: in a folder source, a file that is not an image looks missing, so that no
    /// response reveals which other files exist.
    func concealed(by source: SourceRule) -> PipelineError {
        guard source.isFolder, case .notAnImage = self else { return self }
        return .originNotFound
    }
}
