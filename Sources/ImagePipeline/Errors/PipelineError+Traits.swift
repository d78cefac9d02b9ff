package import HTTPCache
import HTTPSemantics

/// The one table of what each failure means.
extension PipelineError {
    package var traits: FailureTraits {
        switch self {
        case .originStatus(let status): FailureTraits(ofStatus: status)
        case .originNotFound: FailureTraits(failureClass: .missing, saysGone: true, isOriginFault: true)
        case .originUnreachable, .originTimeout, .originProtocol:
            FailureTraits(failureClass: .failing, allowsStale: true, isOriginFault: true)
        // An answer must not tell a name that does not resolve from an address that is refused.
        case .addressRefused(let rule): FailureTraits(failureClass: .denied, allowsStale: rule == Self.unresolvedRule)
        case .sourceTooLarge: FailureTraits(failureClass: .undecodable, allowsStale: true, isOriginFault: true)
        case .notAnImage, .broken:
            FailureTraits(
                failureClass: .undecodable,
                allowsStale: true,
                isOriginFault: true,
                isPermanent: true,
                isRetryableAlone: true
            )
        case .refused: FailureTraits(failureClass: .undecodable, isPermanent: true, isRetryableAlone: true)
        case .crashedDecoder:
            FailureTraits(failureClass: .undecodable, isOriginFault: true, isPermanent: true, isRetryableAlone: true)
        case .transformTimeout: FailureTraits(failureClass: .failing, isRetryableAlone: true)
        case .overloaded: FailureTraits(allowsStale: true)
        case .workerLost: FailureTraits(isRetryableAlone: true)
        case .noWorker, .notCached, .cancelled: FailureTraits()
        case .remembered(let error, _):
            FailureTraits(allowsStale: error.traits.allowsStale, isOriginFault: error.traits.isOriginFault)
        // The failure of an auxiliary image is remembered under that image's own key.
        case .ingredient(_, let error): FailureTraits(allowsStale: error.traits.allowsStale)
        case .after(_, let error): error.traits
        }
    }

    /// The rule of a name that does not resolve, where an answer must not tell that from an address that is refused.
    static let unresolvedRule = "unresolved"

    /// Whether the original is to blame, so that another picture may be shown in its place.
    package var isOriginFault: Bool { traits.isOriginFault }

    /// The failure as answers may tell it: below a folder, what is no image looks like what is not there, so that no answer tells
    /// which other files a folder holds.
    func concealed(by source: SourceRule) -> PipelineError {
        guard source.isFolder, case .notAnImage = self else { return self }
        return .originNotFound
    }
}

extension FailureTraits {
    /// What a status other than 200 means for an original, and a status from 400 on for a raw source.
    fileprivate init(ofStatus status: Int) {
        self.init()
        isOriginFault = true
        saysGone = StaleAllowance.isGone(status: status)
        isDenial = [401, 403].contains(status)
        // Without a picture, a status that is no failure in HTTP is one here.
        allowsStale = status < 400 || StaleAllowance.mayReplace(status: status)
        failureClass =
            switch status {
            case 404, 410, 451: .missing
            case 401, 403: .denied
            // About one request, not about the original (RFC 9110 §15.5.1, §15.5.15; RFC 6585 §5), or a loop of the configuration.
            case 400, 414, 431, 508: nil
            default: .failing
            }
    }
}
