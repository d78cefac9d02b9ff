import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// The fields of requests and responses between nodes.
enum NodeFields {
    /// The token that all nodes share.
    static let token = "Edgeprint-Node"
    /// The variant's key, by which the owner sees whether the request means the same to both.
    static let key = "Edgeprint-Key"
    /// The last entry of the purge log that the asking node has applied.
    static let sequence = "Edgeprint-Sequence"
    /// The log that has the entry.
    static let log = "Edgeprint-Log"
    /// The account of the client that has sent the request.
    static let account = "Edgeprint-Account"
    /// The priority in the owner's queues.
    static let priority = "Edgeprint-Priority"
    /// In interim responses, the milliseconds until the next one (`NodeHeartbeat`).
    static let interval = "Edgeprint-Interval"
    /// An encoded `OwnedVariant`.
    static let variant = "Edgeprint-Variant"
    /// A failure that other nodes need not find out for themselves.
    static let failure = "Edgeprint-Failure"

    /// The longest account, in bytes.
    static let maximumAccount = 256
}

/// A failure that an owner passes on.
extension PipelineError {
    /// The seconds for which it is remembered, the word, and the payload (`PipelineError.text`).
    ///
    /// `nil` for failures that another node may not have: those of this node's connections, and of its own load.
    var passedOn: String? {
        let (error, seconds) =
            if case .remembered(let error, let seconds) = bare { (error.bare, seconds) } else { (bare, Int64(0)) }
        switch error {
        case .originUnreachable, .originTimeout, .originProtocol: return nil
        default: return error.text.map { "\(seconds) \($0.word) \($0.payload)" }
        }
    }

    /// Reads a failure that an owner has passed on; `nil` if it is malformed.
    init?(passedOn text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count > 1, let seconds = Int64(parts[0]), seconds >= 0,
            let error = PipelineError(word: parts[1], payload: parts.count > 2 ? parts[2] : "")
        else { return nil }
        self = seconds > 0 ? .remembered(error, secondsLeft: seconds) : error
    }
}

extension OwnerQuestion {
    /// The client hints on which a request's meaning depends.
    private static let hints: [KnownField] = [
        .dpr, .width, .viewportWidth, .secChDpr, .secChWidth, .secChViewportWidth,
    ]

    /// Copies what a request's meaning depends on.
    ///
    /// - Parameter site: the site that the request is for, whose rules may have conditions on request fields.
    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, of site: Site) {
        let matchers = site.resolver.table.rules.matchers
        var fields: [HeaderField] = []
        func text(_ range: Range<Int>) -> String { String(decoding: bytes.copy(range), as: UTF8.self) }
        if let authority = head.authority { fields.append(HeaderField(name: "Host", value: text(authority))) }
        for field in head.fields where field.known != .host {
            guard field.known.map({ Self.hints.contains($0) }) == true || matchers?.isWanted(field.name, bytes) == true
            else { continue }
            fields.append(HeaderField(name: text(field.name), value: text(field.value)))
        }
        self.init(target: text(head.pathAndQuery), fields: fields)
    }
}
