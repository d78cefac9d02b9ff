import HTTPSemantics
import LinuxSystem
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct ForwardingFieldsTests {
    private func sent(_ lines: [String], method: String = "GET") -> [String] {
        RawRig.request("a", lines, method: method).fields.lines.map { "\($0.name): \($0.text)" }
    }

    @Test(arguments: [
        "Via", "CDN-Loop", "Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Forwarded",
        "X-Forwarded-Prefix", "X-Original-URL", "X-Original-Host", "X-Rewrite-URL", "X-HTTP-Method-Override",
        "X-HTTP-Method", "X-Method-Override", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP", "Client-Cert", "Proxy",
        "Content_Length", "Transfer_Encoding", "X_Forwarded_For", "Content.Length", "A_B", "A'B", "_", "Host",
    ])
    func `forwarding fields from clients, and aliases of other fields, are dropped`(name: String) {
        #expect(sent(["\(name): 5", "X-A: 1"]) == ["X-A: 1"])
    }

    @Test func `all other fields are forwarded unchanged`() {
        let lines = ["Accept: a", "cookie: b=c", "X-1: \"x\"", "Original-URL: x", "traceparent: x", "X-Forward: 1"]
        #expect(sent(lines) == lines)
    }

    @Test(arguments: [
        ("OPTIONS", "5", "4"), ("TRACE", "1", "0"), ("OPTIONS", "0", "0"), ("GET", "5", "5"), ("OPTIONS", "x", "x"),
        ("OPTIONS", "-1", "-1"), ("OPTIONS", "99999999999999999999", "9223372036854775806"),
    ])
    func `Max-Forwards is decremented for OPTIONS and TRACE`(method: String, value: String, left: String) {
        #expect(sent(["Max-Forwards: \(value)"], method: method) == ["Max-Forwards: \(left)"])
    }

    @Test(arguments: [
        ("Bearer secret", true), ("bearer  secret", true), ("Bearer\tsecret", true), ("secret", true),
        ("Bearer secret2", false), ("Bearer x", false), ("Basic c2VjcmV0", false), ("", false),
    ])
    func `the daemon's own tokens are not forwarded`(value: String, isOurs: Bool) {
        let fields = RawRig.lines(["Authorization: \(value)", "A: secret"])
        #expect(fields.withoutAuthorization(by: Secret("secret")).contains("authorization") == !isOurs)
        #expect(fields.withoutAuthorization(by: Secret("secret"))["a"] == "secret")
        #expect(fields.withoutAuthorization(by: Secret("")) == fields)
    }
}
