import HTTPKit
import HTTPSemantics

/// The name of this process in `Via` (RFC 9110 §7.6.3) and `CDN-Loop` (RFC 8586).
///
/// Random for each process, because a request may pass several servers and must be recognised by the one it returns to.
struct ViaName: Sendable, Hashable {
    /// The pseudonym, a lower-case token.
    let text: String

    /// Creates a random name.
    init() {
        self.init("edgeprint-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16))
    }

    /// Creates a given name, for tests.
    init(_ text: String) {
        self.text = text
    }

    /// Whether a request has passed this process before, or has passed too many intermediaries.
    ///
    /// `Via` is not used; RFC 8586 §1 explains why it is unsuitable.
    func hasLoop(_ head: borrowing RequestHead, _ message: Span<UInt8>) -> Bool {
        guard head.has(.cdnLoop) else { return false }
        let loop = CDNLoop(head, message)
        return loop.isExcessive || loop.contains(text)
    }
}

extension CDNLoop {
    /// Parses the `CDN-Loop` fields of a request.
    init(_ head: borrowing RequestHead, _ message: Span<UInt8>) {
        self.init(head.joined(.cdnLoop, in: message))
    }
}

extension RequestHead {
    /// All values of a field joined with `, ` (RFC 9110 §5.3); empty if there is none.
    borrowing func joined(_ field: KnownField, in message: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        forEach(field) { text += (text.isEmpty ? [] : Array(", ".utf8)) + message.copy($0) }
        return text
    }
}

extension Problem {
    /// A request that has returned to the server that sent it (RFC 5842 §7.2).
    static let loop = Problem(508, "Request loop: a source leads back to this server.")
}
