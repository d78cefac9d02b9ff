import ImagePipeline
import Logging

extension Logger {
    /// Logs a failure that is relevant to the operator: not one caused by the request, and not one served from the cache.
    ///
    /// - Parameter problem: the response to the client.
    func tell(of error: PipelineError, _ problem: Problem, source: String, id: String) {
        if let rule = error.refusedRule {
            // The rule is not shown to clients.
            notice("origin refused", metadata: ["id": "\(id)", "source": "\(source)", "rule": "\(rule)"])
        } else if error.isUnasked {
            // Logged once, when the breaker opened, or the source was suspended or taken offline.
            debug("request failed", metadata: ["id": "\(id)", "source": "\(source)", "detail": "\(problem.detail)"])
        } else if problem.status >= 500, problem.lifetime == nil, error != .notCached {
            warning(
                "request failed",
                metadata: [
                    "id": "\(id)", "status": "\(problem.status)", "source": "\(source)",
                    "detail": "\(problem.detail)",
                ]
            )
        }
    }
}

extension PipelineError {
    /// Whether the origin was not asked because its breaker is open, or its source suspended or offline.
    fileprivate var isUnasked: Bool {
        switch self {
        case .circuitOpen, .sourceSuspended, .sourceOffline: true
        case .auxiliary(_, let error), .after(_, let error): error.isUnasked
        default: false
        }
    }

    /// The rule of the address policy that refused the origin or an auxiliary image; `nil` for other failures and for cached ones.
    fileprivate var refusedRule: String? {
        switch self {
        case .addressRefused(let rule): rule
        case .auxiliary(_, let error): error.refusedRule
        default: nil
        }
    }
}
