/// Errors as they are kept on disk: a word, and what the case holds.
///
/// Only those that say something about the next try; the words are a format, and never change their meaning.
extension PipelineError {
    /// The word and the payload; `nil` for errors of one moment.
    package var text: (word: String, payload: String)? {
        switch self {
        case .originStatus(let status): ("status", String(status))
        case .originNotFound: ("not-found", "")
        case .originUnreachable(let reason): ("unreachable", reason)
        case .originTimeout(let reason): ("timeout", reason)
        case .originProtocol(let reason): ("protocol", reason)
        case .addressRefused(let rule): ("address", rule)
        case .sourceTooLarge(let limit): ("too-large", String(limit))
        case .notAnImage(let reason): ("no-image", reason)
        case .broken(let reason, let name): Self.text("broken", reason, name)
        case .refused(let reason, let name): Self.text("refused", reason, name)
        case .crashedDecoder: ("deadly", "")
        case .transformTimeout: ("transform-timeout", "")
        case .after(_, let error): error.text
        case .overloaded, .workerLost, .noWorker, .notCached, .remembered, .ingredient, .cancelled: nil
        }
    }

    /// A failure's word and words; where a parameter is to blame, another word, and its name in front.
    private static func text(_ word: String, _ reason: String, _ name: String?) -> (word: String, payload: String) {
        guard let name, !name.utf8.contains(UInt8(ascii: " ")) else { return (word, reason) }
        return (word + "-by", name + " " + reason)
    }

    /// Reads what `text` wrote; `nil` for anything else.
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
