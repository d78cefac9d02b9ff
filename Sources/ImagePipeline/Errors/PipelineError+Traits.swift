package import HTTPCache
import HTTPSemantics

/// The table of the traits of each failure.
extension PipelineError {
    package var traits: FailureTraits {
        switch self {
        case .originStatus(let status): FailureTraits(ofStatus: status)
        case .originNotFound: FailureTraits(failureClass: .missing, saysGone: true, isOriginFault: true)
        case .originUnreachable, .originTimeout, .originProtocol:
            FailureTraits(failureClass: .failing, allowsStale: true, isOriginFault: true)
        // A response must not distinguish an unresolved name from a refused address.
        case .addressRefused(let rule): FailureTraits(failureClass: .denied, allowsStale: rule == Self.unresolvedRule)
        case .sourceTooLarge: FailureTraits(failureClass: .undecodable, allowsStale: true, isOriginFault: true)
        case .undecryptable, .notAnImage, .broken:
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
        case .transformTimeout:
            FailureTraits(failureClass: .failing, isRetryableAlone: true, isCostDependent: true)
        case .overloaded: FailureTraits(allowsStale: true, isOverload: true)
        // Not remembered by URL: the breaker itself decides when the origin is asked again.
        case .circuitOpen: FailureTraits(allowsStale: true, isOriginFault: true)
        case .sourceSuspended, .sourceOffline:
            FailureTraits(allowsStale: true, isDisconnection: true, isOriginFault: true)
        case .workerLost: FailureTraits(isRetryableAlone: true)
        case .noWorker, .notCached, .outOfTouch, .cancelled: FailureTraits()
        case .remembered(let error, _):
            FailureTraits(allowsStale: error.traits.allowsStale, isOriginFault: error.traits.isOriginFault)
        // The failure of an auxiliary image is remembered under that image's key.
        case .auxiliary(_, let error):
            FailureTraits(allowsStale: error.traits.allowsStale, isOverload: error.traits.isOverload)
        case .after(_, let error): error.traits
        }
    }

    /// The rule name for an unresolved host name that responses must not distinguish from a refused address.
    static let unresolvedRule = "unresolved"

    /// Whether this server has no room for the work, so that something that is stored may be served in its place.
    package var isOverload: Bool { traits.isOverload }

    /// Whether the origin or the original caused the failure, so that a fallback image may be served.
    package var isOriginFault: Bool { traits.isOriginFault }

    /// Whether other nodes would probably fail, too: the origin or the original caused the failure, not a state of this node.
    var isCommonToNodes: Bool {
        switch self {
        case .circuitOpen, .sourceSuspended, .sourceOffline: false
        case .remembered(let error, _), .after(_, let error): error.isCommonToNodes
        default: isOriginFault
        }
    }
}

extension FailureTraits {
    /// Creates the traits of a status: other than 200 for an original, from 400 on for a raw source.
    fileprivate init(ofStatus status: Int) {
        self.init()
        isOriginFault = true
        saysGone = StaleAllowance.isGone(status: status)
        isDenial = [401, 403].contains(status)
        // A status below 400 without an image is a failure here.
        allowsStale = status < 400 || StaleAllowance.mayReplace(status: status)
        failureClass =
            switch status {
            case 404, 410, 451: .missing
            case 401, 403: .denied
            // Caused by one request (RFC 9110 §15.5.1, §15.5.15; RFC 6585 §5) or by a configuration loop.
            case 400, 414, 431, 508: nil
            default: .failing
            }
    }
}
