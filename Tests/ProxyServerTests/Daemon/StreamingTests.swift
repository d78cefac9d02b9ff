import LinuxSystem
import TestSupport
import Testing

/// Responses that reach the client while they arrive from the origin.
@Suite(.timeLimit(.minutes(1))) struct StreamingTests {
    /// A body of 1 MB, whose parts differ.
    private static let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    private static let head = "GET /photos/a HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// An origin that sends a head and the beginning of the body, then the rest when the gate opens.
    private static func slow(
        _ fields: [String],
        _ body: [UInt8] = StreamingTests.body,
        until gate: ScriptedGate,
        cut: Bool = false
    )
        -> ScriptedOrigin.Script
    {
        { _, connection in
            let lines = ["HTTP/1.1 200 OK"] + fields + ["", ""]
            connection.send(Array(lines.joined(separator: "\r\n").utf8) + body[..<400_000])
            gate.wait()
            if cut { return connection.close() }
            connection.send(Array(body[400_000...]))
            if !fields.contains(where: { $0.hasPrefix("Content-Length") }) { connection.close() }
        }
    }

    private static let fresh = ["Cache-Control: max-age=600", "Content-Length: 1000000", "Content-Type: a/b"]

    @Test(arguments: [fresh, ["Cache-Control: no-store", "Content-Length: 1000000"], ["Cache-Control: max-age=60"]])
    func `a raw response is sent while it arrives, and stored only if allowed`(_ fields: [String]) throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", raw: true", script: Self.slow(fields, until: gate))
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        let head = try client.readHead()
        let isChunked = head["Transfer-Encoding"] == "chunked"
        #expect(isChunked == !fields.contains("Content-Length: 1000000"))
        var read: [UInt8] = []
        while read.count < 400_000 {
            read += isChunked ? try client.readChunk() ?? [] : try client.read(exactly: 400_000)
        }
        gate.open()
        while read.count < Self.body.count {
            read += isChunked ? try client.readChunk() ?? [] : try client.read(exactly: 600_000)
        }
        #expect(read == Self.body)
        if isChunked { #expect(try client.readChunk() == nil) }
        let again = try client.get("/photos/a")
        #expect(again.body == Self.body)
        let isStored = !fields.contains("Cache-Control: no-store")
        #expect(again["Cache-Status"]?.contains("hit") == isStored)
        #expect(rig.origin.requests == (isStored ? 1 : 2))
    }

    @Test func `requests for a raw response that is arriving share it`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig(source: ", raw: true", script: Self.slow(Self.fresh, until: gate))
        let clients = try (0..<8).map { _ in try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000) }
        for client in clients {
            try client.send(Self.head)
            #expect(try client.readHead().status == 200)
            #expect(try client.read(exactly: 1000) == Array(Self.body[..<1000]))
        }
        // Half of them leave.
        for client in clients[..<4] { client.reset() }
        gate.open()
        for client in clients[4...] { #expect(try client.read(exactly: 999_000) == Array(Self.body[1000...])) }
        #expect(rig.origin.requests == 1)
    }

    @Test(arguments: [fresh, ["Cache-Control: max-age=60"]])
    func `a raw response that is cut off is cut off for its clients, and nothing is stored`(_ fields: [String]) throws {
        let gate = try ScriptedGate()
        let script = Self.slow(
            fields + (fields.count > 1 ? [] : ["Transfer-Encoding: chunked"]),
            until: gate,
            cut: true
        )
        let rig = try EndToEndRig(
            source: ", raw: true, negative: off",
            script: { request, connection in
                guard request.number == 1 else {
                    return connection.respond("200 OK", ["Cache-Control: max-age=60"], text: "whole")
                }
                if fields.count > 1 { return script(request, connection) }
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                gate.wait()
                connection.close()
            }
        )
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        let head = try client.readHead()
        _ = try head["Content-Length"] == nil ? client.readChunk() ?? [] : client.read(exactly: 400_000)
        gate.open()
        #expect(try client.isAtEnd())
        #expect(try rig.get("/photos/a").text == "whole")
        #expect(try rig.get("/photos/a")["Cache-Status"]?.contains("hit") == true)
    }

    @Test func `the last client to leave ends the download of what is not stored`() throws {
        let gate = try ScriptedGate()
        let closed = Signal(false)
        let rig = try EndToEndRig(
            source: ", raw: true",
            script: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nCache-Control: no-store\r\n\r\nabc")
                connection.waitForPeer()
                closed.update { $0 = true }
                gate.open()
            }
        )
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        _ = try client.readHead()
        client.reset()
        try closed.wait { $0 }
    }

    @Test func `a raw response over the limit is passed on, however slow its client reads`() throws {
        // More than the sockets on the way can hold.
        let size = 96 << 20
        let part = [UInt8](repeating: 9, count: 1 << 20)
        let sent = Signal(0)
        let rig = try EndToEndRig(
            "limits: { source-bytes: 2MiB }",
            source: ", raw: true",
            script: { request, connection in
                sent.update { $0 = 0 }
                connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<96 {
                    guard connection.send(part) else { return }
                    sent.update { $0 += part.count }
                }
            }
        )
        for _ in 0..<2 {
            let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000, receiveBuffer: 1 << 18)
            try client.send(Self.head)
            #expect(try client.readHead()["Content-Length"] == String(size))
            _ = try client.read(exactly: 1)
            #expect(sent.value < size)
            var count = 1
            while count < size { count += try client.read(exactly: min(1 << 20, size - count)).count }
            #expect(count == size)
        }
        #expect(rig.origin.requests == 2)
    }

    @Test func `a raw response that turns out to be over the limit is passed on each time`() throws {
        let rig = try EndToEndRig(
            "limits: { source-bytes: 500kB }",
            source: ", raw: true",
            script: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<10 {
                    connection.send(Array("186a0\r\n".utf8) + Self.body[..<100_000] + Array("\r\n".utf8))
                }
                connection.send("0\r\n\r\n")
            }
        )
        for _ in 0..<2 {
            let answer = try rig.get("/photos/a")
            #expect(answer.status == 200 && answer.body.count == 1_000_000)
        }
        #expect(rig.origin.requests == 2)
    }

    @Test func `server-sent events pass as they come`() throws {
        let gates = [try ScriptedGate(), try ScriptedGate()]
        let rig = try EndToEndRig(
            source: ", raw: true",
            script: { _, connection in
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                for (number, gate) in gates.enumerated() {
                    connection.send("9\r\ndata: \(number)\n\n\r\n")
                    gate.wait()
                }
                connection.send("0\r\n\r\n")
            }
        )
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        #expect(try client.readHead()["Content-Type"] == "text/event-stream")
        for (number, gate) in gates.enumerated() {
            #expect(try client.readChunk() == Array("data: \(number)\n\n".utf8))
            gate.open()
        }
        #expect(try client.readChunk() == nil)
    }

    @Test func `server-sent events may pause for longer than other bodies`() throws {
        let gate = try ScriptedGate()
        let rig = try EndToEndRig("timeouts: { first-byte: 300ms, total: 1s }", source: ", raw: true, negative: off") {
            request,
            connection in
            guard request.target == "/a" else { return connection.waitForPeer() }
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            gate.wait()
            connection.send("5\r\ndata:\r\n0\r\n\r\n")
        }
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        _ = try client.readHead()
        // These loads time out, one after the other.
        for _ in 0..<4 { #expect(try rig.get("/photos/silent").status == 504) }
        gate.open()
        #expect(try client.readChunk() == Array("data:".utf8))
        #expect(try client.readChunk() == nil)
    }

    /// A PNG of over 400 kB.
    private static let picture: [UInt8] = {
        var noise = SeededGenerator(seed: 1)
        return TestImages.png(
            width: 400,
            height: 300,
            rgba: (0..<480_000).map { _ in UInt8.random(in: 0...255, using: &noise) }
        )
    }()

    @Test func `a bare original is sent while it arrives, without an entity tag, and stored`() throws {
        let gate = try ScriptedGate()
        let fields = ["Cache-Control: max-age=600", "Content-Length: \(Self.picture.count)"]
        let rig = try EndToEndRig(script: Self.slow(fields, Self.picture, until: gate))
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        let head = try client.readHead()
        #expect(head.status == 200 && head["ETag"] == nil && head["Content-Type"] == "image/png")
        var read = try client.read(exactly: 400_000)
        gate.open()
        read += try client.read(exactly: Self.picture.count - 400_000)
        #expect(read == Self.picture)
        try rig.waitForStores(1)
        let again = try client.get("/photos/a")
        #expect(again.body == Self.picture && again["ETag"] != nil)
        #expect(rig.origin.requests == 1)
    }

    @Test func `an original that the origin compresses is sent without its coded length`() throws {
        let gate = try ScriptedGate()
        let coded = Gzip.encode(Self.picture)
        let rig = try EndToEndRig(script: { _, connection in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            connection.send(Array(head.utf8) + coded[..<400_000])
            gate.wait()
            connection.send(Array(coded[400_000...]))
        })
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        #expect(try client.readHead()["Transfer-Encoding"] == "chunked")
        gate.open()
        var read: [UInt8] = []
        while let chunk = try client.readChunk() { read += chunk }
        #expect(read == Self.picture)
    }

    @Test func `a bare original that is cut off is cut off for its clients`() throws {
        let gate = try ScriptedGate()
        let fields = ["Content-Length: \(Self.picture.count)"]
        let rig = try EndToEndRig(script: Self.slow(fields, Self.picture, until: gate, cut: true))
        let client = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try client.send(Self.head)
        _ = try client.readHead()
        _ = try client.read(exactly: 400_000)
        gate.open()
        #expect(try client.isAtEnd())
        #expect(try rig.metric("edgeprint_disk_stores_total") == 0)
    }

    @Test func `content that is no image ends the transfer after its first kilobytes`() throws {
        let ended = Signal(false)
        let page = Array(("<!DOCTYPE html><html><body>" + String(repeating: "x", count: 100_000)).utf8)
        let rig = try EndToEndRig(script: { _, connection in
            connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n".utf8) + page)
            connection.waitForPeer()
            ended.update { $0 = true }
        })
        #expect(try rig.get("/photos/a?w=10").status == 415)
        try ended.wait { $0 }
    }

    @Test func `an image with too many pixels ends the transfer, unless another client wants it as it is`() throws {
        let ended = Signal(0)
        let picture = Self.picture
        let rig = try EndToEndRig(
            "limits: { pixels: 100 }",
            script: { _, connection in
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(picture.count)\r\n\r\n"
                connection.send(Array(head.utf8) + picture[..<300_000])
                connection.waitForPeer()
                ended.update { $0 += 1 }
            }
        )
        let other = try RawHTTPClient(port: rig.daemon.port, timeoutMilliseconds: 20_000)
        try other.send(Self.head)
        #expect(try other.readHead().status == 200)
        let response = try rig.get("/photos/a?w=10")
        #expect(response.status == 422 && response.text.contains("limits.pixels"))
        #expect(try other.read(exactly: 300_000) == Array(picture[..<300_000]) && ended.value == 0)
        // Alone, the refused plan ends its own download.
        #expect(try rig.get("/photos/b?w=10").status == 422)
        try ended.wait { $0 == 1 }
        #expect(rig.origin.requests == 2)
    }
}
