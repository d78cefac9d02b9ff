import ImagePipeline
import Logging

extension Logger {
    /// Writes an event for a failure that an operator would look into: none of the request's own, and none that was told before.
    ///
    /// - Parameter problem: what the client is told.
    func tell(of error: PipelineError, _ problem: Problem, source: String, id: String) {
        if let rule = error.refusedRule {
            // Clients are not told which rule it was.
            notice("origin refused", metadata: ["id": "\(id)", "source": "\(source)", "rule": "\(rule)"])
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
    /// The rule of the address policy that refused the origin, or that of another picture in the plan; `nil` for all other failures,
    /// and for one that is answered again.
    fileprivate var refusedRule: String? {
        switch self {
        case .addressRefused(let rule): rule
        case .ingredient(_, let error): error.refusedRule
        default: nil
        }
    }
}
