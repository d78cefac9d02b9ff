import CCrypto
import ImagePlan
import OriginTransfer

/// Signs request targets and verifies their signatures: HMAC-SHA256 (RFC 2104) over the raw path, `?` and the raw query
/// without its `sig` pair, as unpadded base64url (RFC 4648 §5).
///
/// With `scope`, only the pairs `scope` and `exp` of the query are signed (`ParsedQuery.signedQuery`).
///
/// The `?` is signed even if the query is otherwise empty. For methods other than GET and HEAD, the message starts with the
/// method and a space, so that a signed link does not permit other methods. Immutable; any thread.
struct RequestSigner: Sendable {
    /// The first key signs, all of them verify.
    let keys: [SigningKey]
    /// The beginning of the site's paths, which the paths below do not have but the message does.
    var mount: [UInt8] = []

    /// Whether there is any key.
    var hasKeys: Bool { !keys.isEmpty }

    /// The value of `sig` for a target, or `nil` without keys.
    ///
    /// - Parameters:
    ///   - path: the raw path, as sent.
    ///   - query: the signed part of the raw query, as sent.
    ///   - method: the request method, case-sensitive.
    func signature(
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String = "GET"
    ) -> String? {
        let message = message(method, path, query)
        return keys.first.map { String(decoding: Self.signature(of: message, key: $0), as: UTF8.self) }
    }

    /// Verifies a signature, in constant time for a given length.
    func verdict(
        on signature: String,
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String = "GET"
    ) -> SignatureVerdict {
        guard hasKeys else { return .unverifiable }
        let message = message(method, path, query)
        let given = Array(signature.utf8)
        var found: Int?
        for (index, key) in keys.enumerated() where Self.areEqual(given, Self.signature(of: message, key: key)) {
            found = found ?? index
        }
        return found.map { .valid(key: $0 + 1) } ?? .wrong
    }

    /// The signed message; unambiguous, because a path begins with `/` and a method cannot contain one.
    private func message(
        _ method: String,
        _ path: some Collection<UInt8>,
        _ query: some Collection<UInt8>
    ) -> [UInt8] {
        let order = ["GET", "HEAD"].contains(method) ? [] : Array("\(method) ".utf8)
        return order + mount + Array(path) + [UInt8(ascii: "?")] + Array(query)
    }

    private static func signature(of message: [UInt8], key: SigningKey) -> [UInt8] {
        Array(Base64.encodeForURL(HMACSHA256.code(of: message, key: key.bytes)).utf8)
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}

/// The result of verifying a request's signature.
enum SignatureVerdict: Sendable, Hashable {
    /// Valid for this key, counted from 1.
    case valid(key: Int)
    /// Not valid for any key.
    case wrong
    /// There is a signature, but no key to verify it.
    case unverifiable
    /// There is no signature.
    case missing

    var isValid: Bool { key != nil }

    /// The key for which it is valid, counted from 1.
    var key: Int? {
        if case .valid(let key) = self { key } else { nil }
    }
}
