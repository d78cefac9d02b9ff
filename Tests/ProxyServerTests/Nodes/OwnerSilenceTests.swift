import Cluster
import Glibc
import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@testable import ProxyServer

/// Owners that fall silent while they work.
@Suite(.timeLimit(.minutes(1)))
struct OwnerSilenceTests {
    private let picture = TestImages.gradient(width: 400, height: 300)

    /// Keeps the last request that it is given.
    private final class Loader: TransferLoading {
        struct Handle: LoadHandle {
            func cancel() {}
            var received: Int { 0 }
        }

        let request = Lock<TransferRequest?>(nil)
        /// How each load ends, at once; `nil` if none does.
        private let failure: TransferError?

        init(failure: TransferError? = nil) { self.failure = failure }

        func canLoad(_ target: OriginTarget) -> Bool { true }

        func load(
            _ request: TransferRequest,
            arrival: (@Sendable (TransferResponse) -> Void)?,
            completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
        ) -> any LoadHandle {
            self.request.withLock { $0 = request }
            if let failure { completion(.failure(failure)) }
            return Handle()
        }
    }

    /// A client of a cluster whose only node is another one.
    private struct Rig {
        let time = ManualTime()
        let nodes: NodeTable
        let client: OwnerClient

        init(_ loader: Loader) throws {
            let settings = try load(
                "cluster: { nodes: [\"192.0.2.1:8080\"], token: 0123456789abcdef, ask-timeout: 1s }"
            ).cluster
            nodes = NodeTable(settings.nodes, time: time)
            client = OwnerClient(
                nodes: nodes,
                transfers: loader,
                settings: settings,
                time: time,
                progress: { ClusterProgress() }
            )
        }

        /// Asks the owner, and returns whether that was permitted.
        func ask(_ target: String = "/photos/a.png") throws -> Bool {
            let source = SourceRule(name: "photos", location: .http(prefix: "http://a.example/"))
            let origin = OriginRequest(source: source, url: try OriginURL("http://a.example/a.png"))
            var context = LoadContext()
            context.deadline = SharedDeadline(time.monotonic + 40_000_000_000)
            let handle = client.ask(
                VariantRequest(origin: origin, plan: nil, bucket: nil),
                OwnerQuestion(target: target, fields: []),
                context
            ) { _ in }
            return handle != nil
        }
    }

    @Test func `an owner gets the target as the client has spelled it, which its signature covers`() throws {
        let loader = Loader()
        let target = "/photos/%7ea/%2f%41.png?w=%38&sig=x"
        #expect(try Rig(loader).ask(target))
        #expect(loader.request.withLock { $0?.target.url?.requestTarget } == target)
    }

    @Test func `the wait for an owner ends early enough for this node to make the image itself`() throws {
        let loader = Loader()
        #expect(try Rig(loader).ask())
        let request = try #require(loader.request.withLock { $0 })
        #expect(request.options.timeouts.total == 40_000)
        // An owner of an earlier release, which says only once that it is at work.
        #expect(request.options.timeouts.afterInterim == 20_000)
        let patience = try #require(request.patience)
        for (interval, wait) in [
            (nil, nil), ("", nil), ("0", nil), ("-1", nil), ("100", 2_000), ("500", 2_000), ("1000", 4_000),
            ("3600000", 20_000), ("99999999999999999999", nil),
        ] as [(String?, Int?)] {
            var fields = FieldLines()
            if let interval { fields.append("Edgeprint-Interval", interval) }
            #expect(patience(InterimResponse(status: 102, fields: fields)) == wait)
        }
    }

    @Test(
        arguments: [
            (.timeout("response after an interim one"), false), (.timeout("total"), false),
            (.timeout("first byte"), true), (.unreachable("refused"), true),
        ] as [(TransferError, Bool)]
    )
    func `an owner is left out for its silence, but not if it is late after it has said that it is at work`(
        failure: TransferError,
        isLeftOut: Bool
    ) throws {
        let rig = try Rig(Loader(failure: failure))
        for _ in 0..<3 { #expect(try rig.ask()) }
        #expect(rig.client.statistics.failed == 3)
        #expect(rig.nodes.statuses.map(\.isLeftOut) == [isLeftOut])
        #expect(try rig.ask() != isLeftOut)
    }

    @Test func `an owner says again and again that it is at work`() throws {
        let (gate, picture) = (try ScriptedGate(), picture)
        let rig = try NodesRig(askTimeout: "200ms") { _, connection in
            gate.wait()
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture)
        }
        let target = try rig.pictures(1, of: 1)[0]
        let key = VariantRequest(origin: try rig.original(target), plan: nil, bucket: nil).key
        let client = try rig.client(1, from: rig.hosts[0])
        let fields = [("Edgeprint-Node", NodesRig.token), ("Edgeprint-Key", key.description)]
        var answer = try client.get(target, fields)
        // More than any other request may have.
        for _ in 0..<20 {
            #expect(answer.status == 102 && answer["Edgeprint-Interval"] == "100")
            answer = try client.readResponse()
        }
        gate.open()
        while answer.status == 102 { answer = try client.readResponse() }
        #expect(answer.status == 200 && answer["Edgeprint-Variant"] != nil)
    }

    @Test func `the image of an owner that was stopped while it worked is made by the node that was asked`()
        async throws
    {
        let (gates, picture) = (try (0..<3).map { _ in try ScriptedGate() }, picture)
        defer { for gate in gates { gate.open() } }
        let begun = Lock<[String]>([])
        let rig = try NodesRig(askTimeout: "2s") { request, connection in
            // The first request for each picture waits.
            let waiting = begun.withLock { begun -> Int? in
                guard !begun.contains(request.target) else { return nil }
                begun.append(request.target)
                return begun.count - 1
            }
            if let waiting { gates[waiting].wait() }
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: picture)
        }
        for (gate, target) in zip(gates, try rig.pictures(3, of: 1)) {
            let line = "GET \(target.dropFirst("/photos".count)) "
            @Sendable func requests() -> Int { rig.origin.heads.count { $0.hasPrefix(line) } }
            let client = try rig.client(0)
            try client.send("GET \(target)?w=50&format=png HTTP/1.1\r\nHost: a\r\n\r\n")
            try await suspendWhile(requests() == 0)
            try rig.daemon(1).signal(SIGSTOP)
            gate.open()
            let answer = try client.readResponse()
            #expect(answer.status == 200 && answer["Cache-Status"] == "edgeprint; fwd=uri-miss")
            // One of the owner, and one of the node that was asked.
            if requests() == 2 { return }
            // The owner was so slow to start that it was not waited for.
            try rig.daemon(1).signal(SIGCONT)
        }
        Issue.record("the owner has begun none of three images in time")
    }
}
