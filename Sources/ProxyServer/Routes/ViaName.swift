import HTTPKit

/// The name by which this process knows messages that it has passed on already (RFC 9110 §7.6.3): random, so that no other
/// daemon's requests are taken for its own.
struct ViaName: Sendable, Hashable {
    /// A pseudonym: a token, in lower case.
    let text: String
    private let bytes: [UInt8]

    /// Makes a name that nobody else has.
    init() {
        self.init("edgeprint-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 16))
    }

    /// Names a process.
    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// Whether a request has been here before.
    ///
    /// The name is long and random enough not to stand anywhere else in the field.
    func isIn(_ head: borrowing RequestHead, _ message: Span<UInt8>) -> Bool {
        guard head.has(.via) else { return false }
        var isFound = false
        head.forEach(.via) { range in
            isFound = isFound || contains(range, message)
        }
        return isFound
    }

    private func contains(_ range: Range<Int>, _ message: Span<UInt8>) -> Bool {
        var start = range.lowerBound
        while start + bytes.count <= range.upperBound {
            var count = 0
            while count < bytes.count, message[start + count] | 0x20 == bytes[count] | 0x20 { count += 1 }
            if count == bytes.count { return true }
            start += 1
        }
        return false
    }
}

extension Problem {
    /// A request that has come back to the daemon that sent it (RFC 5842 §7.2).
    static let loop = Problem(508, "The request has come back to this server: a source leads to it again.")
}
