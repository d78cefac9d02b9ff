import ImagePipeline
import LinuxSystem
import Logging

/// Logs failures of requests that are relevant to the operator: not those caused by the request, and not those served from the cache.
///
/// Any thread.
final class FailureLog: Sendable {
    private let logger: Logger
    /// A line for each refusal would take processor time when that is scarce.
    private let refusals: OverloadLog

    init(logger: Logger, time: any TimeSource) {
        let delays = DelayLine()
        self.logger = logger
        refusals = OverloadLog(
            logger,
            begins: "overloaded: requests are refused",
            ends: "requests are no longer refused",
            time: time
        ) { delays.run(after: $0, $1) }
    }

    /// - Parameter problem: the response to the client.
    func tell(of error: PipelineError, _ problem: Problem, source: String, id: String) {
        if let rule = error.refusedRule {
            // The rule is not shown to clients.
            logger.notice("origin refused", metadata: ["id": "\(id)", "source": "\(source)", "rule": "\(rule)"])
        } else if error.isUnasked || error.isOverload {
            // Logged once, when the breaker opened, or the source was suspended or taken offline, or the overload began.
            logger.debug(
                "request failed",
                metadata: ["id": "\(id)", "source": "\(source)", "detail": "\(problem.detail)"]
            )
            if error.isOverload { refusals.note(source, detail: problem.detail) }
        } else if problem.status >= 500, problem.lifetime == nil, error != .notCached {
            logger.warning(
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
