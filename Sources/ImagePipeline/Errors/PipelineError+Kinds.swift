import HTTPSemantics

extension PipelineError {
    /// The rule of a name that does not resolve, where an answer must not tell that from an address that is refused.
    static let unresolvedRule = "unresolved"

    /// Whether a stale picture may be served instead (RFC 5861 §4).
    ///
    /// Instead of every failure to fetch its original but those by which the origin says that there is none, or that we may not have
    /// it; also where what came in its place is no picture.
    var allowsStale: Bool {
        switch self {
        // A status that is no failure in HTTP is one here, if a picture does not come with it.
        case .originStatus(let status): status < 400 || StaleAllowance.mayReplace(status: status)
        case .originUnreachable, .originTimeout, .originProtocol, .overloaded: true
        case .addressRefused(Self.unresolvedRule): true
        case .sourceTooLarge, .notAnImage, .broken: true
        case .remembered(let error, _), .ingredient(_, let error), .after(_, let error): error.allowsStale
        case .originNotFound, .addressRefused, .refused, .crashedDecoder, .transformTimeout, .workerLost, .noWorker,
            .notCached, .cancelled:
            false
        }
    }

    /// Whether the origin says that there is no such picture any more.
    var saysGone: Bool {
        switch self {
        case .originStatus(let status): StaleAllowance.isGone(status: status)
        case .originNotFound: true
        case .after(_, let error): error.saysGone
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
            .notAnImage, .broken, .crashedDecoder:
            true
        case .remembered(let error, _), .after(_, let error): error.isOriginalsFault
        case .addressRefused, .refused, .transformTimeout, .overloaded, .workerLost, .noWorker, .notCached,
            .ingredient, .cancelled:
            false
        }
    }
}
