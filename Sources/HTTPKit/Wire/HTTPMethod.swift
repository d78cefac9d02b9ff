/// A request method (RFC 9110 §9); unknown ones refer to the request's bytes.
package enum HTTPMethod: Hashable, Sendable {
    case get, head, post, put, delete, options, patch, trace, connect, purge
    /// Any other token, as a range of the request's bytes. Methods are case-sensitive.
    case other(Range<Int>)

    /// Recognises the method at `range`.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self = .other(range)
        guard range.count <= 8 else { return }
        var word: UInt64 = 0
        for index in range { word = word << 8 | UInt64(bytes[index]) }
        switch word {
        case 0x47_4554: self = .get
        case 0x4845_4144: self = .head
        case 0x504F_5354: self = .post
        case 0x50_5554: self = .put
        case 0x4445_4C45_5445: self = .delete
        case 0x4F_5054_494F_4E53: self = .options
        case 0x50_4154_4348: self = .patch
        case 0x54_5241_4345: self = .trace
        case 0x43_4F4E_4E45_4354: self = .connect
        case 0x50_5552_4745: self = .purge
        default: break
        }
    }

    /// Recognises the method that a sender may have meant: methods are case-sensitive.
    ///
    /// Fails for a name that is unknown in capitals, too.
    package init?(ignoringCase name: String) {
        let bytes = Array(name.uppercased().utf8)
        self.init(bytes.span, 0..<bytes.count)
        if self.name == nil { return nil }
    }

    /// The name of the method; `nil` for `other`.
    package var name: String? {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .purge: "PURGE"
        case .other: nil
        }
    }
}
