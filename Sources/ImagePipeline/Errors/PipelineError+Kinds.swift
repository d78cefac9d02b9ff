extension PipelineError {
    /// Whether the origin, or the way to it, is in trouble: then a stale response may stand in (RFC 5861 §4).
    var isOutage: Bool {
        switch self {
        case .originStatus(let status): status >= 500 || status == 429
        case .originUnreachable, .originTimeout, .originProtocol, .overloaded: true
        case .remembered(let error, _), .ingredient(_, let error): error.isOutage
        default: false
        }
    }

    /// Whether the original is to blame, and another picture may stand in; else the request is, or a load that will pass.
    package var isOriginalsFault: Bool {
        switch self {
        case .originStatus, .originNotFound, .originUnreachable, .originTimeout, .originProtocol, .sourceTooLarge,
            .notAnImage, .broken, .deadly:
            true
        case .remembered(let error, _): error.isOriginalsFault
        case .addressRefused, .refused, .transformTimeout, .overloaded, .workerLost, .noWorker, .notCached,
            .ingredient, .cancelled:
            false
        }
    }
}
