import HTTPKit
import HTTPSemantics

/// The name of this process in `Via` (RFC 9110 §7.6.3) and `CDN-Loop` (RFC 8586).
///
/// Random for each process: requests may pass several daemons, even of one cluster, and one that comes back is recognised.
struct ViaName: Sendable, Hashable {
    /// A pseudonym: a token, in lower case.
    let text: String

    /// Makes a name that nobody else has.
    init() {
        self.init("edgeprint-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16))
    }

    /// Names a process.
    init(_ text: String) {
        self.text = text
    }

    /// Whether a request has been here before, or has passed more intermediaries than a request without a loop does.
    ///
    /// `Via` has no say: RFC 8586 §1 tells why it does not serve for this.
    func hasLoop(_ head: borrowing RequestHead, _ message: Span<UInt8>) -> Bool {
        guard head.has(.cdnLoop) else { return false }
        let loop = CDNLoop(head, message)
        return loop.isExcessive || loop.contains(text)
    }
}

extension CDNLoop {
    /// Reads a request's lines of `CDN-Loop`.
    init(_ head: borrowing RequestHead, _ message: Span<UInt8>) {
        self.init(head.joined(.cdnLoop, in: message))
    }
}

extension RequestHead {
    /// All values of a known field as one, joined with `, ` (RFC 9110 §5.3); empty where there is none.
    borrowing func joined(_ field: KnownField, in message: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        forEach(field) { text += (text.isEmpty ? [] : Array(", ".utf8)) + message.copy($0) }
        return text
    }
}

extension Problem {
    /// A request that has come back to the daemon that sent it (RFC 5842 §7.2).
    static let loop = Problem(508, "The request has come back to this server: a source leads to it again.")
}
