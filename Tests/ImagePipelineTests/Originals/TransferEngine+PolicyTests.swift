import HTTPSemantics
import ImagePipeline
import Synchronization
import OriginTransfer
import TestSupport
import Testing

/// These tests send no packet to other machines: the policy refuses before connecting, which the origin confirms.
@Suite(.timeLimit(.minutes(1)))
struct TransferPolicyTests {
    private let engine: TransferEngine
    private let closed = SourceRule.local(name: "closed", allowPrivate: false)

    init() throws {
        engine = try TransferEngine(
            configuration: TransferEngine.Configuration(hosts: [
                "inside.test:80:10.0.0.5", "metadata.test:80:169.254.169.254", "mapped.test:80:[::ffff:127.0.0.1]",
                "six.test:80:[fd00::1]", "two.test:80:10.0.0.5,[fe80::1]",
            ])
        )
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "0177.0.0.1",
        "017700000001",
        "localhost", "LocalHost", "localhost.",
    ])
    func `refuses every spelling of loopback at the socket`(_ host: String) async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        let fetch = OriginFetch("http://\(host):\(origin.port)/", closed)
        #expect(await engine.failure(fetch) == .addressRefused("loopback"))
        #expect(origin.connections == 0)
        #expect(engine.statistics.outcomes == [.refused: 1])
    }

    @Test func `reaches the origin by the same spellings if private addresses are allowed`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        for host in ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            let fetch = OriginFetch("http://\(host):\(origin.port)/", .local())
            #expect(await engine.failure(fetch) == nil, "\(host)")
        }
    }

    @Test(arguments: [
        ("0.0.0.0", "unspecified"), ("0", "unspecified"), ("10.0.0.1", "private"), ("10.1", "private"),
        ("172.16.5.4", "private"), ("192.168.257", "private"), ("100.64.0.1", "cgnat"),
        ("169.254.169.254", "link-local"),
        ("2852039166", "link-local"), ("224.0.0.1", "multicast"), ("255.255.255.255", "broadcast"),
        ("240.0.0.1", "reserved"),
        ("192.0.2.1", "documentation"), ("198.18.0.1", "benchmarking"), ("[::1]", "loopback"), ("[::]", "unspecified"),
        ("[::ffff:127.0.0.1]", "ipv4-mapped/loopback"), ("[::ffff:a9fe:a9fe]", "ipv4-mapped/link-local"),
        ("[64:ff9b::7f00:1]", "nat64/loopback"), ("[2002:7f00:1::]", "6to4/loopback"), ("[fd00::1]", "unique-local"),
        ("[fe80::1]", "link-local"), ("[ff02::1]", "multicast"), ("[2001:db8::1]", "documentation"),
        ("inside.test", "private"), ("INSIDE.test", "private"), ("metadata.test", "link-local"),
        ("six.test", "unique-local"),
        ("mapped.test", "ipv4-mapped/loopback"),
    ])
    func `refuses addresses by rule before connecting`(_ host: String, _ rule: String) async {
        let fetch = OriginFetch("http://\(host)/", closed)
        #expect(await engine.failure(fetch) == .addressRefused(rule))
    }

    @Test func `refuses a name if all its addresses are refused`() async {
        guard
            case .addressRefused(let rule) = await engine.failure(
                OriginFetch("http://two.test/", closed)
            )
        else {
            Issue.record("not refused")
            return
        }
        #expect(["private", "link-local"].contains(rule))
    }

    /// Treats 127.0.0.1 as a public address, so that a first hop can be served.
    private func engineWithPublicLoopback() throws -> TransferEngine {
        try TransferEngine(
            configuration: TransferEngine.Configuration(refusal: {
                $0 == .v4(0x7F00_0001) ? nil : AddressPolicy.refusal(of: $0)
            })
        )
    }

    @Test(arguments: [
        ("127.0.0.2", "loopback"), ("[::1]", "loopback"), ("10.0.0.1", "private"), ("169.254.169.254", "link-local"),
        ("2852039166", "link-local"), ("0x7f.2", "loopback"),
    ])
    func `checks every hop of a redirect chain`(_ host: String, _ rule: String) async throws {
        let engine = try engineWithPublicLoopback()
        let origin = try ScriptedOrigin { request, connection in
            let home = request.field("Host") ?? ""
            connection.respond(
                "302 Found",
                ["Location: " + (request.target == "/" ? "http://\(home)/2" : "http://\(host)/")]
            )
        }
        #expect(await engine.failure(.local(origin, "/", closed)) == .addressRefused(rule))
        #expect(origin.requests == 2)
    }

    @Test func `does not distinguish an unresolved name from a refused one`() async throws {
        let fetch = OriginFetch("http://nobody.invalid/", closed)
        guard case .addressRefused? = await engine.failure(fetch) else {
            Issue.record("not the failure of a refused address")
            return
        }
        // An operator may learn that a source's own host does not resolve; a client must not learn it of a redirect's target.
        let own = SourceRule(name: "own", location: .http(prefix: "http://nobody.invalid/"))
        let failure = await engine.failure(OriginFetch("http://nobody.invalid/", own))
        #expect(failure == .originUnreachable("the host's name does not resolve"))
        let origin = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", ["Location: http://nobody.invalid/"])
        }
        let led = SourceRule(name: "own", location: .http(prefix: origin.url))
        guard case .addressRefused? = try await engineWithPublicLoopback().failure(.local(origin, "/", led)) else {
            Issue.record("not the failure of a refused address")
            return
        }
    }

    @Test func `refuses ports of other protocols in URLs from clients and redirects`() async throws {
        let target = Atomic<Int>(25)
        let origin = try ScriptedOrigin { _, connection in
            let port = target.load(ordering: .relaxed)
            connection.respond("302 Found", ["Location: http://127.0.0.1:\(port)/"])
        }
        for port in [1, 22, 25, 587, 6000, 6667, 10_080] {
            let fetch = OriginFetch("http://127.0.0.1:\(port)/", .local())
            #expect(await engine.failure(fetch) == .addressRefused("bad-port"), "\(port)")
            target.store(port, ordering: .relaxed)
            let own = SourceRule(name: "own", location: .http(prefix: origin.url), allowPrivate: true)
            #expect(await engine.failure(.local(origin, "/", own)) == .addressRefused("bad-port"), "\(port)")
        }
        // A configured source may use any port; nothing listens on this one.
        let odd = SourceRule(name: "odd", location: .http(prefix: "http://127.0.0.1:1/"), allowPrivate: true)
        let failure = await engine.failure(OriginFetch("http://127.0.0.1:1/", odd))
        #expect(failure == .originUnreachable("the connection failed"))
    }

    @Test func `checks the address again just before sending the request`() async throws {
        let asked = Atomic<Int>(0)
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        let engine = try TransferEngine(
            configuration: TransferEngine.Configuration(refusal: { _ in
                let (_, count) = asked.add(1, ordering: .relaxed)
                return count < 2 ? nil : AddressPolicy.Refusal(.reserved)
            })
        )
        try #require(await engine.failure(.local(origin, "/", closed)) == .addressRefused("reserved"))
        #expect(asked.load(ordering: .relaxed) == 2)
        await origin.openConnections(fallTo: 0)
        #expect(origin.requests == 0)
    }

    @Test func `does not reuse a pooled connection for a source that may not use its address`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: "x") }
        #expect(await engine.failure(.local(origin)) == nil)
        for _ in 1...3 {
            #expect(await engine.failure(.local(origin, "/", closed)) == .addressRefused("loopback"))
        }
        #expect(origin.requests == 1)
        #expect(await engine.failure(.local(origin)) == nil)
        #expect(origin.requests == 2)
    }
}
