import CCrypto
import OriginTransfer

/// Signs request targets and verifies their signatures: HMAC-SHA256 (RFC 2104) over the raw path, `?` and the raw query
/// without its `sig` pair, as unpadded base64url (RFC 4648 §5).
///
/// The `?` is signed even where nothing else is in the query. For methods other than GET and HEAD the method and a space stand
/// before the path, so that no link becomes an order. Immutable; any thread.
struct RequestSigner: Sendable {
    /// The first signs, all verify.
    let keys: [SigningKey]

    /// Whether anything can be signed or verified.
    var hasKeys: Bool { !keys.isEmpty }

    /// The value of `sig` for a target; `nil` without keys.
    ///
    /// - Parameters:
    ///   - path: the raw path, as it is sent.
    ///   - query: the raw query, without `sig`, as it is sent.
    ///   - method: the request's, case-sensitive.
    func signature(
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String = "GET"
    ) -> String? {
        let message = Self.message(method, path, query)
        return keys.first.map { String(decoding: Self.signature(of: message, key: $0), as: UTF8.self) }
    }

    /// What a signature is worth; takes the same time for every wrong one of a length.
    func verdict(
        on signature: String,
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String = "GET"
    ) -> SignatureVerdict {
        guard hasKeys else { return .unverifiable }
        let message = Self.message(method, path, query)
        let given = Array(signature.utf8)
        var found: Int?
        for (index, key) in keys.enumerated() where Self.areEqual(given, Self.signature(of: message, key: key)) {
            found = found ?? index
        }
        return found.map { .valid(key: $0 + 1) } ?? .wrong
    }

    /// A path begins with `/`, which no method has in it: no two requests have one message.
    private static func message(
        _ method: String,
        _ path: some Collection<UInt8>,
        _ query: some Collection<UInt8>
    ) -> [UInt8] {
        let order = ["GET", "HEAD"].contains(method) ? [] : Array("\(method) ".utf8)
        return order + Array(path) + [UInt8(ascii: "?")] + Array(query)
    }

    private static func signature(of message: [UInt8], key: SigningKey) -> [UInt8] {
        Base64URL.encode(HMACSHA256.code(of: message, key: key.bytes))
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}

/// What a request's signature is worth.
enum SignatureVerdict: Sendable, Hashable {
    /// Made with this key, counted from 1.
    case valid(key: Int)
    /// Made with none of the keys.
    case wrong
    /// There is a signature, but no key to verify it with.
    case unverifiable
    /// There is none.
    case missing

    var isValid: Bool {
        if case .valid = self { true } else { false }
    }
}
