import HTTPKit
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// The signed cookies of the admin listener's sessions.
@Suite(.timeLimit(.minutes(1)))
struct AdminSessionTests {
    private let time = ManualTime()
    private let token = Secret("letmeinplease")

    private func session(_ time: ManualTime? = nil) -> AdminSession { AdminSession(time: time ?? self.time) { 3_600 } }

    private func value(_ cookie: String) -> String {
        String(cookie.dropFirst(AdminSession.name.count + 1).prefix { $0 != ";" })
    }

    @Test func `scripts cannot read the cookie, and other sites do not cause it to be sent`() {
        let cookie = session().cookie(token: token, isSecure: false)
        for attribute in ["; Path=/", "; Max-Age=3600", "; HttpOnly", "; SameSite=Strict"] {
            #expect(cookie.contains(attribute), "\(cookie)")
        }
        #expect(!cookie.contains("Secure"))
        #expect(session().cookie(token: token, isSecure: true).hasSuffix("; Secure"))
        #expect(!cookie.contains(token.value))
    }

    @Test func `a session ends after its lifetime`() {
        let session = session()
        let value = value(session.cookie(token: token, isSecure: false))
        #expect(session.isValid(value, token: token))
        time.advance(seconds: 3_599)
        #expect(session.isValid(value, token: token))
        time.advance(seconds: 1)
        #expect(!session.isValid(value, token: token))
    }

    @Test func `a session is not valid for another token, another process, or after signing out`() {
        let session = session()
        let value = value(session.cookie(token: token, isSecure: false))
        #expect(!session.isValid(value, token: Secret("anothertoken1")))
        #expect(!self.session().isValid(value, token: token))
        #expect(session.end(isSecure: false).contains("Max-Age=0"))
        #expect(!session.isValid(value, token: token))
        #expect(session.isValid(self.value(session.cookie(token: token, isSecure: false)), token: token))
    }

    @Test func `a changed cookie is not valid`() throws {
        let session = session()
        let value = value(session.cookie(token: token, isSecure: false))
        let parts = value.split(separator: ".")
        let end = try #require(Int64(parts[0]))
        for changed in ["\(end + 1).\(parts[1])", "\(parts[0]).", String(parts[1]), "", ".", value + "A", "9\(value)"] {
            #expect(!session.isValid(changed, token: token), "\(changed)")
        }
    }
}
