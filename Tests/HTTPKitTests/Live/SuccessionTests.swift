import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

/// Two servers that share listening sockets, as two processes do after a fork.
@Suite(.timeLimit(.minutes(1))) struct SuccessionTests {
    /// Clients that open a connection for each request, until they are stopped.
    private final class Clients: Sendable {
        struct Tally: Sendable {
            /// Answers by their text.
            var answers: [String: Int] = [:]
            var failures: [String] = []
        }

        let tally = Signal(Tally())
        private let isOver = Lock(false)
        private let running: Signal<Int>

        init(_ connects: [@Sendable () throws -> RawHTTPClient]) throws {
            running = Signal(connects.count)
            for connect in connects {
                try SystemThread.start(name: "clients") { [self] in
                    while !isOver.withLock({ $0 }) {
                        do {
                            let text = try connect().get("/").text
                            tally.update { $0.answers[text, default: 0] += 1 }
                        } catch {
                            tally.update { $0.failures.append("\(error)") }
                        }
                    }
                    running.update { $0 -= 1 }
                }
            }
        }

        func end() throws -> Tally {
            isOver.withLock { $0 = true }
            _ = try running.wait { $0 == 0 }
            return tally.value
        }
    }

    private static func answer(_ text: String) -> TestHandler.Respond {
        { _, _ in .now(Response(status: 200, body: .bytes(Array(text.utf8)))) }
    }

    /// The sockets of a server as another process would inherit them.
    private static func copies(of server: HTTPServer) -> [ListenAddress: [CInt]] {
        Dictionary(grouping: server.listeningSockets, by: \.address).mapValues { $0.map { dup($0.descriptor.number) } }
    }

    /// Loops of the first and the second server, so that there are as many, fewer and more loops than sockets.
    @Test(arguments: [(2, 2), (1, 3), (3, 1)])
    func `no connection is lost, and none waits for the old server`(old: Int, new: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let addresses: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0), .unix(path: path)]
        let box = PromiseBox()
        let first = try TestServer({ ($0.addresses, $0.loops) = (addresses, old) }) { request, context in
            guard request.target == "/held" else { return Self.answer("old")(request, context) }
            box.take(request.target, context)
            return .later
        }
        let held = try first.client()
        try held.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        let port = first.port
        let clients = try Clients(
            [Int](0..<2).flatMap { _ -> [@Sendable () throws -> RawHTTPClient] in
                [{ try RawHTTPClient(port: port) }, { try RawHTTPClient(unixPath: path) }]
            }
        )
        try clients.tally.wait { $0.answers["old", default: 0] >= 20 }
        let second = try TestServer(
            {
                ($0.addresses, $0.loops, $0.inherited) = (addresses, new, Self.copies(of: first.server))
            },
            respond: Self.answer("new")
        )
        #expect(second.port == port)
        let stopped = Gate()
        first.server.stop(graceMilliseconds: 60_000, leavesListeners: true) { stopped.open() }
        // The old server is not done, yet all new connections are answered by the new one before long.
        try clients.tally.wait { $0.answers["new", default: 0] >= 200 || !$0.failures.isEmpty }
        #expect(!stopped.wait(milliseconds: 0))
        box.complete("/held", Response(status: 200, body: .bytes([65])))
        let last = try held.readResponse()
        #expect(last.text == "A" && last["Connection"] == "close")
        held.close()
        #expect(stopped.wait())
        let before = clients.tally.value
        try clients.tally.wait { $0.answers["new", default: 0] >= 400 || !$0.failures.isEmpty }
        #expect(try RawHTTPClient(port: port).get("/").text == "new")
        #expect(try RawHTTPClient(unixPath: path).get("/").text == "new")
        let tally = try clients.end()
        #expect(tally.failures == [])
        #expect(tally.answers["old"] == before.answers["old"])
        // The path belongs to the new server, which removes it.
        #expect(unsafe access(path, F_OK) == 0)
        #expect(second.stop().wait())
        #expect(unsafe access(path, F_OK) != 0)
    }

    @Test func `connections that wait while no server accepts are served by the next one`() throws {
        let first = try TestServer({ $0.loops = 2 }, respond: Self.answer("old"))
        let sockets = Self.copies(of: first.server)
        let stopped = Gate()
        first.server.stop(graceMilliseconds: 5000, leavesListeners: true) { stopped.open() }
        #expect(stopped.wait())
        let clients = try (0..<20).map { _ in try first.client() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        let second = try TestServer({ ($0.loops, $0.inherited) = (2, sockets) }, respond: Self.answer("new"))
        for client in clients { #expect(try client.readResponse().text == "new") }
        _ = second
    }
}
