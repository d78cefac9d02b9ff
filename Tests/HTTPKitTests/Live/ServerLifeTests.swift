import Glibc
import HTTPKit
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServerLifeTests {
    @Test func `finishes requests in progress and closes idle connections`() throws {
        let box = PromiseBox()
        let server = try TestServer(respond: { request, context in
            box.take(request.target, context)
            return .later
        })
        let idle = try server.client()
        try idle.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        box.complete("/first", Response(status: 204))
        #expect(try idle.readResponse().status == 204)
        let busy = try server.client()
        try busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\nGET /pipelined HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())

        let stopped = server.stop()
        #expect(try idle.isAtEnd())
        #expect(eventually { (try? server.client()) == nil })
        #expect(!stopped.wait(milliseconds: 50))
        box.complete("/busy", Response(status: 200, body: .bytes([65])))
        let last = try busy.readResponse()
        #expect(last.text == "A")
        #expect(last["Connection"] == "close")
        #expect(try busy.isAtEnd())
        busy.close()
        #expect(stopped.wait())
        #expect(server.handler.requests.count == 2)
    }

    @Test func `closes unfinished connections at the deadline`() throws {
        let box = PromiseBox()
        let server = try TestServer(respond: { request, context in
            box.take(request.target, context)
            return .later
        })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(box.taken.wait())
        #expect(server.stop(graceMilliseconds: 100).wait())
        #expect(box.cancelled.wait())
        #expect(try client.isAtEnd())
        box.complete("/", Response(status: 204))
    }

    @Test func `serves a request that was sent before the stop`() throws {
        let server = try TestServer()
        let clients = try (0..<10).map { _ in try server.client() }
        for client in clients { try client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n") }
        let stopped = server.stop()
        for client in clients { #expect(try client.readResponse().text == "/x") }
        for client in clients { client.close() }
        #expect(stopped.wait())
    }

    @Test func `stops at once if never started, and repeatedly`() throws {
        let gate = Gate()
        let server = HTTPServer(
            configuration: ServerConfiguration(addresses: []),
            handler: TestHandler(TestServer.echo)
        )
        server.stop(graceMilliseconds: 1000) { gate.open() }
        #expect(gate.wait())
        let running = try TestServer()
        let (first, second) = (running.stop(), running.stop())
        #expect(first.wait())
        #expect(second.wait())
        #expect(running.stop().wait())
    }

    @Test func `does not start twice, or on a port in use`() throws {
        let server = try TestServer()
        #expect(throws: ServerStartError.alreadyStarted) { try server.server.start() }
        let address = ListenAddress.tcp(host: "127.0.0.1", port: server.port)
        let other = HTTPServer(configuration: ServerConfiguration(addresses: [address]), handler: server.handler)
        #expect(throws: ServerStartError.address(address, Errno(EADDRINUSE, "bind"))) { try other.start() }
        let sharing = HTTPServer(
            configuration: ServerConfiguration(addresses: [address], sharesPort: true),
            handler: server.handler
        )
        try sharing.start()
        sharing.stop(graceMilliseconds: 0) {}
    }

    @Test func `names the address it cannot listen on`() {
        let address = ListenAddress.tcp(host: "203.0.113.1", port: 0)
        let server = HTTPServer(
            configuration: ServerConfiguration(addresses: [address]),
            handler: TestHandler(TestServer.echo)
        )
        #expect(throws: ServerStartError.address(address, Errno(EADDRNOTAVAIL, "bind"))) { try server.start() }
    }

    @Test func `listens on Unix sockets, replaces stale ones and keeps others`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/http.sock"
        let configuration = ServerConfiguration(addresses: [.unix(path: path)], loops: 2)
        let first = HTTPServer(configuration: configuration, handler: TestHandler(TestServer.echo))
        try first.start()
        #expect(try RawHTTPClient(unixPath: path).get("/a").text == "/a")
        let second = HTTPServer(configuration: configuration, handler: TestHandler(TestServer.echo))
        #expect(throws: ServerStartError.self) { try second.start() }
        let gate = Gate()
        first.stop(graceMilliseconds: 100) { gate.open() }
        #expect(gate.wait())
        #expect(unsafe access(path, F_OK) != 0)

        try leaveStaleSocket(path)
        let third = HTTPServer(configuration: configuration, handler: TestHandler(TestServer.echo))
        try third.start()
        #expect(try RawHTTPClient(unixPath: path).get("/b").text == "/b")
        third.stop(graceMilliseconds: 0) {}
    }

    private func leaveStaleSocket(_ path: String) throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        try unsafe withUnsafePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = try checked("bind") {
                    unsafe bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        close(descriptor)
    }

    @Test func `listens on IPv6 and on an inherited socket`() throws {
        let six = try TestServer({ $0.addresses = [.tcp(host: "::1", port: 0)] })
        let client = try RawHTTPClient(port: six.port, host: "::1")
        #expect(try client.get("/6").text == "/6")
        #expect(eventually { six.handler.finished.first?.summary.peer.description == "::1" })

        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #expect(listen(descriptor, 10) == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        let inherited = try TestServer({ $0.addresses = [.descriptor(descriptor)] })
        for _ in 0..<10 {
            #expect(try RawHTTPClient(port: UInt16(bigEndian: address.sin_port)).get("/fd").text == "/fd")
        }
        #expect(inherited.server.statistics.accepted == 10)
    }
}
