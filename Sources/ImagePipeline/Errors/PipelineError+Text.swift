/// The text form of errors on disk: a word for the case, and its payload.
///
/// Only errors that affect the next try have one. The words are a file format and must not change.
extension PipelineError {
    /// The word and the payload; `nil` for transient errors.
    package var text: (word: String, payload: String)? {
        switch self {
        case .originStatus(let status): ("status", String(status))
        case .originNotFound: ("not-found", "")
        case .originUnreachable(let reason): ("unreachable", reason)
        case .originTimeout(let reason): ("timeout", reason)
        case .originProtocol(let reason): ("protocol", reason)
        case .addressRefused(let rule): ("address", rule)
        case .sourceTooLarge(let limit): ("too-large", String(limit))
        case .undecryptable(let reason): ("undecryptable", reason)
        case .notAnImage(let reason): ("no-image", reason)
        case .broken(let reason, let name): Self.text("broken", reason, name)
        case .refused(let reason, let name): Self.text("refused", reason, name)
        case .crashedDecoder: ("deadly", "")
        case .transformTimeout: ("transform-timeout", "")
        case .after(_, let error): error.text
        case .circuitOpen, .sourceSuspended, .sourceOffline: nil
        case .overloaded, .workerLost, .noWorker, .notCached, .outOfTouch, .remembered, .auxiliary, .cancelled: nil
        }
    }

    /// Returns the word and the reason; with a parameter, the word ends with `-by` and the payload starts with the parameter.
    private static func text(_ word: String, _ reason: String, _ name: String?) -> (word: String, payload: String) {
        guard let name, !name.utf8.contains(UInt8(ascii: " ")) else { return (word, reason) }
        return (word + "-by", name + " " + reason)
    }

    /// Parses a word and payload from `text`; `nil` if they are invalid.
    package init?(word: String, payload: String) {
        switch word {
        case "status":
            guard let status = Int(payload), (100...999).contains(status) else { return nil }
            self = .originStatus(status)
        case "not-found": self = .originNotFound
        case "unreachable": self = .originUnreachable(payload)
        case "timeout": self = .originTimeout(payload)
        case "protocol": self = .originProtocol(payload)
        case "address": self = .addressRefused(payload)
        case "too-large":
            guard let limit = Int(payload) else { return nil }
            self = .sourceTooLarge(limit: limit)
        case "undecryptable": self = .undecryptable(payload)
        case "no-image": self = .notAnImage(payload)
        case "broken": self = .broken(payload)
        case "refused": self = .refused(payload)
        case "broken-by", "refused-by":
            let parts = payload.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = String(parts[0]), let reason = String(parts[1]) else { return nil }
            self = word == "broken-by" ? .broken(reason, parameter: name) : .refused(reason, parameter: name)
        case "deadly": self = .crashedDecoder
        case "transform-timeout": self = .transformTimeout
        default: return nil
        }
    }
}
