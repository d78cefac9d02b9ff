extension PipelineError {
    /// The rule of a name that does not resolve, where an answer must not tell that from an address that is refused.
    static let unresolvedRule = "unresolved"

    /// Whether the origin, or the way to it, is in trouble: then a stale response may stand in (RFC 5861 §4).
    var isOutage: Bool {
        switch self {
        case .originStatus(let status): status >= 500 || status == 429
        case .originUnreachable, .originTimeout, .originProtocol, .overloaded: true
        case .addressRefused(Self.unresolvedRule): true
        case .remembered(let error, _), .ingredient(_, let error): error.isOutage
        default: false
        }
    }

    /// The failure as answers may tell it: below a folder what is no image looks like what is not there, so that no answer says what
    /// other files a folder holds.
    func concealed(by source: SourceRule) -> PipelineError {
        guard source.isFolder, case .notAnImage = self else { return self }
        return .originNotFound
    }

    /// Whether the original is to blame, and another picture may stand in; else the request is, or a load that will pass.
    package var isOriginalsFault: Bool {
        switch self {
        case .originStatus, .originNotFound, .originUnreachable, .originTimeout, .originProtocol, .sourceTooLarge,
            .notAnImage, .broken, .deadly:
            true
        case .remembered(let error, _): error.isOriginalsFault
        case .addressRefused, .refused, .transformTimeout, .overloaded, .workerLost, .notCached, .ingredient,
            .cancelled:
            false
        }
    }
}
