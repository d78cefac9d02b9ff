import HTTPKit
import ImagePlan
import LinuxSystem
import OriginTransfer
import Synchronization

/// The browser sessions of the admin listener, which a form starts with the admin token.
///
/// A session is a cookie that states when it ends, signed with a random key of this process (HMAC-SHA256). The daemon keeps no
/// list, so sessions cannot accumulate. All of them end with the process, when the token changes, and when any of them is signed
/// out. Any thread.
final class AdminSession: Sendable {
    /// What a request's cookie permits.
    enum Verdict: Hashable {
        /// There is no valid session.
        case absent
        case valid
        /// The session is valid, but the request changes something and does not prove that a page of this server made it.
        case foreign
    }

    /// The name of the cookie.
    static let name = "edgeprint-session"
    /// The most cookies of this name that are looked at: browsers send those of other ports of the host, too.
    private static let mostCookies = 4

    private let key: [UInt8]
    private let time: any TimeSource
    /// Returns the lifetime of a new session in seconds.
    private let lifetime: @Sendable () -> Int64
    /// Incremented to end all sessions.
    private let generation = Atomic<Int>(0)

    /// Creates sessions with a new key.
    ///
    /// - Parameter lifetime: returns the current `admin.session` in seconds.
    init(time: any TimeSource, lifetime: @escaping @Sendable () -> Int64) {
        key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        self.time = time
        self.lifetime = lifetime
    }

    /// Judges a request by its cookies; `token` is the current admin token.
    func verdict(on head: borrowing RequestHead, _ bytes: Span<UInt8>, token: Secret) -> Verdict {
        guard !token.isEmpty, head.has(.cookie) else { return .absent }
        var cookies: [String] = []
        head.forEach(.cookie) { cookies.append(String(decoding: bytes.copy($0), as: UTF8.self)) }
        guard Self.values(in: cookies).contains(where: { isValid($0, token: token) }) else { return .absent }
        let browser = BrowserRequest(head, bytes)
        switch head.method {
        // The response to a page of another site could only be used by it as a whole, and must not be.
        case .get, .head: return browser.isOfOwnPage || !browser.namesOrigin ? .valid : .absent
        default: return browser.isOfOwnPage ? .valid : .foreign
        }
    }

    /// Returns a function that tells whether the session of a request goes on; `nil` without a session.
    func watch(
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        token: @escaping @Sendable () -> Secret
    ) -> (@Sendable () -> Bool)? {
        var cookies: [String] = []
        head.forEach(.cookie) { cookies.append(String(decoding: bytes.copy($0), as: UTF8.self)) }
        guard let value = Self.values(in: cookies).first(where: { isValid($0, token: token()) }) else { return nil }
        return { [self] in isValid(value, token: token()) }
    }

    /// The `Set-Cookie` value that starts a session.
    ///
    /// - Parameter isSecure: whether the browser uses https.
    func cookie(token: Secret, isSecure: Bool) -> String {
        let seconds = lifetime()
        let value = value(until: time.wallSeconds + seconds, token: token)
        return Self.cookie(value, seconds: seconds, isSecure: isSecure)
    }

    /// Ends all sessions, and returns the `Set-Cookie` value that removes the cookie.
    func end(isSecure: Bool) -> String {
        generation.wrappingAdd(1, ordering: .relaxed)
        return Self.cookie("", seconds: 0, isSecure: isSecure)
    }

    /// Whether a cookie's value is a session that has not ended.
    func isValid(_ value: String, token: Secret) -> Bool {
        guard let end = value.split(separator: ".").first.flatMap({ Int64($0) }), end > time.wallSeconds else {
            return false
        }
        return Secret(self.value(until: end, token: token)).matches(Array(value.utf8))
    }

    private func value(until end: Int64, token: Secret) -> String {
        let tokenDigest = SHA256Digest(hashing: token.value).text
        let message = "\(end) \(generation.load(ordering: .relaxed)) \(tokenDigest)"
        let code = HMACSHA256.code(of: Array(message.utf8), key: key)
        return "\(end).\(Base64.encodeForURL(code))"
    }

    private static func cookie(_ value: String, seconds: Int64, isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// The values of the session's cookies in `Cookie` fields (RFC 6265 §4.2.1).
    private static func values(in fields: [String]) -> [String] {
        var values: [String] = []
        for pair in fields.joined(separator: ";").split(separator: ";") {
            let cookie = pair.drop { $0 == " " }
            guard cookie.hasPrefix(name + "="), values.count < mostCookies else { continue }
            values.append(String(cookie.dropFirst(name.count + 1)))
        }
        return values
    }
}
