import Glibc
import LinuxSystem
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SourceRouteCheckTests {
    private func findings(_ tls: String, _ change: (inout RecordedProbe) -> Void = { _ in }) throws -> [Finding] {
        let sources = try load("sources: { a: { url: \"https://a.example/\", tls: \(tls) } }").sources
        var probe = RecordedProbe()
        change(&probe)
        return SourceRouteCheck(sources: sources).findings(probe)
    }

    @Test func `warns of a certificate that is not verified`() throws {
        let found = try findings("{ verify: false }")
        #expect(found.map(\.severity) == [.warning])
        #expect(found[0].subject == "source a" && found[0].message.contains("NOT verified (tls.verify: false)"))
        #expect(try findings("{ verify: true }").isEmpty)
    }

    @Test func `names an interface that the machine does not have`() throws {
        let sources = try load("sources: { a: { url: \"http://a.example/\", interface: eth7 } }").sources
        var probe = RecordedProbe()
        probe.statuses["/sys/class/net"] = FileStatus(kind: .folder, mode: 0o755)
        let found = SourceRouteCheck(sources: sources).findings(probe)
        #expect(found.map(\.message) == ["interface: there is no eth7 on this machine"])
        probe.statuses["/sys/class/net/eth7"] = FileStatus(kind: .folder, mode: 0o755)
        #expect(SourceRouteCheck(sources: sources).findings(probe).isEmpty)
    }

    @Test func `names a file that is missing or cannot be read`() throws {
        let tls = "{ ca: /ca.pem, certificate: /c.pem, key: /k.pem }"
        let found = try findings(tls) { probe in
            probe.statuses["/c.pem"] = FileStatus(kind: .file, mode: 0o600)
            probe.statuses["/k.pem"] = FileStatus(kind: .file, mode: 0o600)
            probe.denials["/k.pem"] = EACCES
        }
        #expect(found.map(\.severity) == [.failure, .failure])
        #expect(found[0].message == "tls.ca: /ca.pem does not exist")
        #expect(found[1].message.hasPrefix("tls.key: /k.pem is not readable"))
    }
}
