import CCrypto

/// What an origin is shown so that it answers; never shows itself.
package enum OriginCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// RFC 7617; the user has no colon.
    case basic(user: String, password: String)
    /// RFC 6750 §2.1.
    case bearer(String)

    /// The value of `Authorization`.
    var fieldValue: String {
        switch self {
        case .basic(let user, let password): "Basic \(Self.base64(Array("\(user):\(password)".utf8)))"
        case .bearer(let token): "Bearer \(token)"
        }
    }

    package var description: String { "[redacted]" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// With padding (RFC 4648 §4).
    private static func base64(_ bytes: [UInt8]) -> String {
        // EVP_EncodeBlock writes a NUL behind the text.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
