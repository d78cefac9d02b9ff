import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ClientAddressCheckTests {
    private func findings(_ yaml: String) throws -> [Finding] {
        let configuration = try load(yaml)
        return ClientAddressCheck(listeners: configuration.listen, proxies: configuration.proxies)
            .findings(RecordedProbe())
    }

    @Test func `warns of a socket whose clients share an account`() throws {
        let found = try findings("listen: [\"127.0.0.1:8080\", \"unix:/run/edgeprint.sock\"]")
        #expect(found.map(\.severity) == [.warning])
        #expect(found[0].message.hasPrefix("all clients of unix:/run/edgeprint.sock share one account"))
        #expect(found[0].fix?.contains("proxies.trust") == true)
    }

    @Test func `accepts a socket of a trusted proxy, and needs none for TCP`() throws {
        let trusted = try findings("{ listen: \"unix:/run/edgeprint.sock\", proxies: { trust: [unix] } }")
        #expect(trusted.map(\.severity) == [.ok])
        #expect(try findings("listen: 127.0.0.1:8080").isEmpty)
    }
}
