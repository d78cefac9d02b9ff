import HTTPSemantics

/// What a request says about its host, for the circuit breaker.
extension Transfer {
    private typealias Outcome = CircuitBreakers<String>.Outcome

    /// Statuses by which a host, or the gateway before it, says that it cannot serve (RFC 9110 §15.6).
    ///
    /// 500 is not among them: a single URL can cause it.
    static let unavailable: Set<Int> = [502, 503, 504]

    /// Classifies the end of a request.
    ///
    /// What a client can bring about on a host that works is no failure of the host: what a raw request gets after its
    /// connection, a status that may be due to `CDN-Loop`, a large body that does not arrive in time, and where a redirect of
    /// a host leads that a client chose.
    func outcome(_ conclusion: Conclusion) -> CircuitBreakers<String>.Outcome {
        let outcome: Outcome =
            switch conclusion {
            case .redirected: .answered
            case .finished(.success(let response)):
                Self.unavailable.contains(response.head.status) ? statusFailure : .answered
            case .finished(.failure(let error)): self.outcome(error)
            }
        return outcome == .failed && options.isForeign && redirects > 0 ? .unknown : outcome
    }

    private var statusFailure: CircuitBreakers<String>.Outcome {
        isRaw || ticket.request.caller.cdnLoop != nil ? .unknown : .failed
    }

    private func outcome(_ error: TransferError) -> CircuitBreakers<String>.Outcome {
        switch error {
        case .unreachable, .timeout: head.isComplete || isRaw && phase != .connect ? .unknown : .failed
        case .violation: head.isComplete ? .answered : isRaw ? .unknown : .failed
        case .tooLarge, .contentRefused, .undecryptable: .answered
        case .notFound, .addressRefused, .unresolved, .overloaded, .circuitOpen, .suspended, .cancelled: .unknown
        }
    }
}
