import HTTPSemantics
import ImagePipeline

extension Problem {
    /// `Retry-After` of a suspended source, in seconds; when it resumes is not known.
    private static let suspensionPause = 30

    /// Maps a pipeline error to a status and a message; the only place that does.
    init(_ error: PipelineError) {
        switch error {
        case .originStatus(410): self.init(410, "The origin reports that the image is gone.")
        case .originStatus(let status) where [401, 403, 404, 451].contains(status):
            self.init(404, "The origin has no such image (status \(status)).")
        case .originStatus(508): self = .loop
        case .originStatus(let status): self.init(502, "The origin responded with status \(status).")
        case .originNotFound: self.init(404, "There is no such image, or the file is not an image that can be decoded.")
        case .originUnreachable(let reason): self.init(502, "The origin is unreachable: \(reason).")
        case .originTimeout(let reason): self.init(504, "The origin timed out: \(reason).", retryAfter: 5)
        case .originProtocol(let reason): self.init(502, "The origin's response cannot be used: \(reason).")
        // One text for all cases, so that clients cannot learn which names of a private network exist. The log has the rule.
        case .addressRefused:
            self.init(403, "This origin is not allowed: its address is refused, or its name does not resolve.")
        case .sourceTooLarge(let limit):
            self.init(413, "The original is larger than \(limit) bytes (limits.source-bytes).")
        case .undecryptable(let reason):
            self.init(502, "The original cannot be decoded as the source is configured (decrypt): \(reason).")
        case .notAnImage(let reason): self.init(415, "Not a supported image: \(reason).")
        case .broken(let reason, let name): self.init(422, "The image is broken: \(reason).", parameter: name)
        case .refused(let reason, let name):
            self.init(422, "The image cannot be transformed: \(reason).", parameter: name)
        case .crashedDecoder: self.init(422, "The image crashed its decoder.")
        case .transformTimeout: self.init(504, "The transform took too long (timeouts.transform).")
        case .overloaded(let reason): self.init(503, "Overloaded: \(reason).", retryAfter: 1)
        case .circuitOpen(let seconds):
            self.init(503, "The origin is failing and is left alone for a while.", retryAfter: Int(clamping: seconds))
        case .sourceSuspended:
            self.init(503, "The source is suspended, and nothing suitable is cached.", retryAfter: Self.suspensionPause)
        case .sourceOffline: self.init(504, "The source is offline, and nothing suitable is cached.")
        case .workerLost:
            self.init(
                503,
                "The transform failed twice because its worker was lost; the image is not at fault.",
                retryAfter: 1
            )
        case .noWorker:
            self.init(503, "Images cannot be transformed at the moment: no worker can be started.", retryAfter: 5)
        case .notCached: self.init(504, "Nothing suitable is cached, and the request has only-if-cached.")
        case .outOfTouch:
            self.init(
                503,
                "What is cached may be out of date: this node has lost touch with the others.",
                retryAfter: 1
            )
        case .remembered(let error, let seconds):
            self.init(error)
            lifetime = seconds
            if status >= 500 { retryAfter = Int(seconds) }
        case .auxiliary(let parameter, let error):
            self.init(error)
            detail = "\(parameter): \(detail)"
            self.parameter = parameter
        case .after(_, let error): self.init(error)
        case .cancelled: self.init(503, "The request was cancelled.", retryAfter: 1)
        }
        cacheStatus = CacheStatus(error)
    }
}
