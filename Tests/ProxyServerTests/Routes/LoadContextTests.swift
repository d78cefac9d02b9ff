import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem
import Logging
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// The account and the deadline that requests of clients carry to their originals' fetches.
@Suite(.timeLimit(.minutes(1)))
struct LoadContextTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
    ])
    func `an account is an IPv4 address, or the /64 network of an IPv6 address`(text: String, account: String) throws {
        #expect(try #require(PeerAddress(text, port: 99)).account == account)
    }

    @Test func `clients of a socket share an account`() {
        #expect(PeerAddress.unix.account == "unix")
    }

    @Test(arguments: [
        ("/photos/a.png", 30), ("/photos/a.png?w=10", 40), ("/photos/a.png?w=10&watermark=photos/b.png", 70),
        ("/files/a.txt", 7),
    ])
    func `a fetch is charged to the client that a trusted proxy names, and has the sum of its timeouts`(
        target: String,
        seconds: Int64
    ) throws {
        let rig = try RouteRig(trusts: true)
        let answer = try rig.get(target, [("X-Forwarded-For", "6.6.6.6, 2001:db8::7")])
        #expect(answer.status == 404)
        let fetch = try #require(rig.loader.fetches.first)
        #expect(fetch.account == "2001:db8::/64")
        #expect(fetch.deadline == rig.time.monotonic + seconds * 1_000_000_000)
    }

    @Test func `without a trusted proxy, a fetch is charged to the connection's peer`() throws {
        let rig = try RouteRig(trusts: false)
        for target in ["/photos/a.png?w=10", "/files/a.txt"] {
            _ = try rig.get(target, [("X-Forwarded-For", "6.6.6.6")])
        }
        #expect(rig.loader.fetches.map(\.account) == ["127.0.0.1", "127.0.0.1"])
    }

    @Test func `a fallback image is charged to the client, too, with a deadline of its own`() throws {
        let rig = try RouteRig(trusts: true)
        let answer = try rig.get("/shop/a.png?w=10", [("X-Forwarded-For", "192.0.2.7")])
        #expect(answer.status == 404)
        #expect(rig.loader.fetches.map(\.account) == ["192.0.2.7", "192.0.2.7"])
        #expect(rig.loader.fetches.map(\.deadline) == [40, 40].map { rig.time.monotonic + $0 * 1_000_000_000 })
    }
}

/// The routes of a server under a manual clock, over a pipeline whose origin has nothing.
private final class RouteRig: Sendable {
    private struct Handler: RequestHandler {
        let images: ImageRoute
        let raw: RawRoute
        let site: Site
        var wantsCompletions: Bool { false }

        func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
            raw.handle(head, of: site, bytes: bytes, context: context)
                ?? images.handle(head, of: site, bytes: bytes, context: context)
        }

        func reject(_ rejection: RequestRejection) -> Response { Response(status: rejection.status) }
        func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {}
    }

    private static let yaml = """
        sources:
          photos: { url: "http://origin.test/" }
          shop: { url: "http://shop.test/", fallback: { image: /photos/none.png } }
          files: { url: "http://files.test/", raw: true, timeouts: { total: 7s } }
        """

    let time = ManualTime()
    let loader = EmptyLoader()
    private let lane: WorkLane
    private let server: HTTPServer

    init(trusts: Bool) throws {
        lane = try WorkLane(WorkLane.Configuration(name: "read"))
        let loaded = LoadedConfiguration(configuration: try load(Self.yaml))
        let stages = EmptyStages(lane: lane, loader: loader, time: time)
        let failures = FailureLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, time: time)
        let resolver = ResolverCell(try RequestResolver(loaded.configuration, time: time))
        let live = LiveConfiguration(loaded)
        var configuration = ServerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: 0)], time: time)
        configuration.proxies = TrustedProxies(usesProxyProtocol: false) { trusts && $0.description == "127.0.0.1" }
        server = HTTPServer(
            configuration: configuration,
            handler: Handler(
                images: ImageRoute(
                    resolver: resolver,
                    pipeline: stages.pipeline,
                    metrics: Metrics(loops: 1),
                    time: time,
                    failures: failures,
                    live: live,
                    rates: ClientRates(),
                    loops: 1
                ),
                raw: RawRoute(proxy: stages.raw, live: live, rates: ClientRates(), via: ViaName(), failures: failures),
                site: resolver.table.standard
            )
        )
        try server.start()
    }

    deinit {
        let hasEnded = Signal(false)
        server.stop(graceMilliseconds: 0) { hasEnded.update { $0 = true } }
        _ = try? hasEnded.wait { $0 }
        lane.stop()
    }

    func get(_ target: String, _ fields: [(String, String)]) throws -> RawHTTPResponse {
        let port = server.boundAddresses.compactMap(\.port).first ?? 0
        return try RawHTTPClient(port: port).get(target, fields)
    }
}
