/// Kinds of failures, each remembered for a time of its own (SDWebImage's `shouldBlockFailedURL`).
package enum FailureClass: String, Hashable, Sendable, CaseIterable {
    /// The origin says that there is no such thing: 404, 410, 451, a file that is not there.
    case missing
    /// The origin, or the address policy, does not let us: 401, 403.
    case denied
    /// The bytes came, and no picture comes of them: no image, broken, over a limit, deadly to its decoder.
    case undecodable
    /// The origin is in trouble: other statuses, no answer, none in time.
    case failing

    /// The class of a failure; `nil` for one that says nothing about the next try.
    init?(_ error: PipelineError) {
        switch error {
        case .originStatus(404), .originStatus(410), .originStatus(451), .originNotFound: self = .missing
        case .originStatus(401), .originStatus(403), .addressRefused: self = .denied
        // They are about one request and not about the original (RFC 9110 §15.5.1, §15.5.15; RFC 6585 §5).
        case .originStatus(400), .originStatus(414), .originStatus(431): return nil
        // A request that runs in a circle is the configuration's fault, and no origin's.
        case .originStatus(508): return nil
        case .sourceTooLarge, .notAnImage, .broken, .refused, .crashedDecoder: self = .undecodable
        case .originStatus, .originUnreachable, .originTimeout, .originProtocol, .transformTimeout: self = .failing
        case .after(_, let error):
            guard let known = FailureClass(error) else { return nil }
            self = known
        // Remembered of the ingredient itself, whoever asks for it.
        case .ingredient: return nil
        case .overloaded, .workerLost, .noWorker, .cancelled, .notCached, .remembered: return nil
        }
    }
}
