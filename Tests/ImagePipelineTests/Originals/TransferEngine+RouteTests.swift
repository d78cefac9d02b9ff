import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

/// Per-source TLS, with a server of the `openssl` command; skipped without it.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TLSOrigin.isAvailable))
struct SourceTLSTests {
    private static let untrusted = PipelineError.originUnreachable("the certificate is not trusted")

    /// A source with TLS settings.
    private func source(_ change: (inout TransferTLS) -> Void) -> SourceRule {
        var rule = SourceRule.local()
        change(&rule.tls)
        return rule
    }

    @Test func `trusts a source's own authority, and no other source does`() async throws {
        let origin = try TLSOrigin()
        defer { origin.stop() }
        try await origin.untilReady()
        let engine = try TransferEngine()
        func failure(_ host: String, _ rule: SourceRule) async -> PipelineError? {
            await engine.failure(OriginFetch("https://\(host):\(origin.port)/", rule))
        }
        let own = source { $0.authority = origin.certificate }
        #expect(await failure("localhost", own) == nil)
        #expect(engine.statistics.phases.secure.cumulative.last == 1 && engine.statistics.phases.secure.sum > 0)
        #expect(await failure("127.0.0.1", own) == Self.untrusted)
        // A kept connection is not reused with other settings.
        #expect(await failure("localhost", .local()) == Self.untrusted)
        #expect(await failure("localhost", source { $0.authority = "/nowhere.pem" }) != nil)
    }

    @Test func `verify: false accepts any certificate, for this source alone`() async throws {
        let origin = try TLSOrigin()
        defer { origin.stop() }
        try await origin.untilReady()
        let engine = try TransferEngine()
        let fetch = { OriginFetch("https://127.0.0.1:\(origin.port)/", $0) }
        #expect(await engine.failure(fetch(source { $0.verifies = false })) == nil)
        #expect(await engine.failure(fetch(.local())) == Self.untrusted)
    }

    @Test func `verify: false says nothing of hosts that the origin redirects to`() async throws {
        let target = try TLSOrigin()
        defer { target.stop() }
        try await target.untilReady()
        let location = "Location: https://127.0.0.1:\(target.port)/"
        let origin = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", [location])
        }
        var rule = SourceRule(name: "own", location: .http(prefix: origin.url), allowPrivate: true)
        rule.tls.verifies = false
        #expect(await (try TransferEngine()).failure(.local(origin, "/", rule)) == Self.untrusted)
    }

    @Test func `shows a client certificate to a server that requires one`() async throws {
        let origin = try TLSOrigin(authenticatesClients: true)
        defer { origin.stop() }
        let fetch = { OriginFetch("https://localhost:\(origin.port)/", $0) }
        let without = source { $0.authority = origin.certificate }
        let with = source {
            $0.authority = origin.certificate
            $0.certificate = origin.certificate
            $0.key = origin.key
        }
        let engine = try TransferEngine()
        try await suspendWhile(await engine.failure(fetch(with)) == .originUnreachable("the connection failed"))
        #expect(await engine.failure(fetch(with)) == nil)
        // With TLS 1.3 the refusal comes after the handshake.
        guard case .originUnreachable? = await engine.failure(fetch(without)) else {
            Issue.record("not refused")
            return
        }
        let unreadable = source {
            $0.authority = origin.certificate
            $0.certificate = "/nowhere.pem"
        }
        #expect(await engine.failure(fetch(unreadable)) == .originUnreachable("cannot use the client certificate"))
    }
}

/// Proxies and interfaces of sources.
@Suite(.timeLimit(.minutes(1)))
struct SourceRouteTests {
    private let engine: TransferEngine

    init() throws {
        engine = try TransferEngine()
    }

    /// A source without access to private networks, behind a proxy.
    private func source(_ proxy: TransferProxy, allowPrivate: Bool = false) -> SourceRule {
        var rule = SourceRule.local(allowPrivate: allowPrivate)
        rule.proxy = proxy
        return rule
    }

    @Test func `asks an HTTP proxy with the whole URL, and lets it resolve names`() async throws {
        let proxy = try ScriptedOrigin { _, connection in connection.respond(text: "through") }
        var through = TransferProxy(.http, authority: "127.0.0.1:\(proxy.port)")
        (through.user, through.password) = ("edge", Secret("secret"))
        let answer = try await engine.fetched(OriginFetch("http://photos.invalid/a.jpg", source(through)))
        #expect(answer.bytes == Array("through".utf8))
        let head = try #require(proxy.heads.first)
        #expect(head.hasPrefix("GET http://photos.invalid/a.jpg HTTP/1.1\r\n"))
        #expect(ScriptedRequest.field("Proxy-Authorization", in: head) == "Basic ZWRnZTpzZWNyZXQ=")
        #expect(ScriptedRequest.field("Via", in: head) == "1.1 edgeprint")
    }

    @Test func `tunnels HTTPS through a proxy, whose own answer is not the origin's`() async throws {
        guard TLSOrigin.isAvailable else { return }
        let origin = try TLSOrigin()
        defer { origin.stop() }
        try await origin.untilReady()
        let proxy = try RelayProxy(.connect)
        var rule = source(TransferProxy(.http, authority: "127.0.0.1:\(proxy.port)"), allowPrivate: true)
        rule.tls.authority = origin.certificate
        // A name for which the certificate is not made would not be trusted.
        let answer = try await engine.fetched(OriginFetch("https://localhost:\(origin.port)/", rule))
        #expect(answer.head.status == 200)
        #expect(answer.head.fields["x-relay"] == nil)
        #expect(proxy.targets == ["localhost:\(origin.port)"])
    }

    @Test func `lets a SOCKS proxy resolve names`() async throws {
        let origin = try ScriptedOrigin { request, connection in connection.respond(text: request.field("Host") ?? "") }
        let proxy = try RelayProxy(.socks)
        let rule = source(TransferProxy(.socks5h, authority: "127.0.0.1:\(proxy.port)"))
        let answer = try await engine.fetched(OriginFetch("http://photos.test:\(origin.port)/", rule))
        #expect(answer.bytes == Array("photos.test:\(origin.port)".utf8))
        #expect(proxy.targets == ["photos.test:\(origin.port)"])
    }

    @Test func `refuses private addresses and localhost behind a proxy, also in redirects`() async throws {
        let proxy = try ScriptedOrigin { _, connection in
            connection.respond("302 Found", ["Location: http://169.254.169.254/latest/"])
        }
        let rule = source(TransferProxy(.http, authority: "127.0.0.1:\(proxy.port)"))
        for (host, refusal) in [
            ("10.0.0.1", "private"), ("[::1]", "loopback"), ("2130706433", "loopback"), ("localhost", "loopback"),
        ] {
            let failure = await engine.failure(OriginFetch("http://\(host)/", rule))
            #expect(failure == .addressRefused(refusal), "\(host)")
        }
        #expect(proxy.requests == 0)
        #expect(await engine.failure(OriginFetch("http://photos.invalid/", rule)) == .addressRefused("link-local"))
        #expect(proxy.requests == 1)
    }

    @Test func `says that the proxy cannot be reached`() async throws {
        let closed = try ScriptedOrigin { _, _ in }
        closed.stop()
        let rule = source(TransferProxy(.http, authority: "127.0.0.1:\(closed.port)"))
        let failure = await engine.failure(OriginFetch("http://photos.invalid/", rule))
        #expect(failure == .originUnreachable("the connection failed"))
    }

    @Test func `connects from the source's address`() async throws {
        let origin = try ScriptedOrigin { _, connection in connection.respond(text: connection.peer) }
        var rule = SourceRule.local()
        #expect(try await engine.fetched(.local(origin, "/", rule)).bytes == Array("127.0.0.1".utf8))
        rule.interface = .address("127.0.0.2")
        #expect(try await engine.fetched(.local(origin, "/", rule)).bytes == Array("127.0.0.2".utf8))
        rule.interface = .device("lo")
        #expect(try await engine.fetched(.local(origin, "/", rule)).bytes == Array("127.0.0.1".utf8))
        rule.interface = .device("nodevice0")
        let failure = await engine.failure(.local(origin, "/", rule))
        #expect(failure == .originUnreachable("cannot use the source's interface"))
    }
}
