import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct UnsignedUseCheckTests {
    private func findings(_ yaml: String) throws -> [Finding] {
        UnsignedUseCheck(try load(yaml)).findings(RecordedProbe())
    }

    @Test func `warns if anybody may fetch from every host with any parameters`() throws {
        let found = try findings("remote: { allow: [\"*\"] }")
        #expect(found.map(\.severity) == [.warning])
        #expect(found[0].message.contains("remote.allow") && found[0].fix?.contains("remote.unsigned") == true)
        let site = try findings("sites: { shop: { prefix: /shop, remote: { allow: [\"*\"] } } }")
        #expect(site.count == 1 && site[0].message.contains("sites.shop.remote.allow"))
    }

    @Test func `the report has quotes as they are, and nothing that controls the terminal`() throws {
        let text = DoctorReport(findings: try findings("remote: { allow: [\"*\"] }")).text
        #expect(text.contains("(remote.allow: \"*\")"), "\(text)")
        #expect(Printing.plain("\"a\"\"\u{1B}[0m\n") == "\"a\"\"\\u001b[0m\\u000a")
    }

    @Test(arguments: [
        "remote: { allow: [] }", "remote: { allow: [\"*.example.com\"] }",
        "remote: { allow: [\"*\"], unsigned: { widths: [320] } }",
        "remote: { allow: [\"*\"] }\nsigning: { keys: [00112233445566778899aabbccddeeff], required: true }",
    ])
    func `says nothing if hosts, variants or clients are limited`(yaml: String) throws {
        #expect(try findings(yaml).isEmpty)
    }
}
