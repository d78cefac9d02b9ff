import LinuxSystem
import TestSupport
import Testing

/// Origins that misbehave in the middle of a response: the client's status, the time that it takes, what stays open, and what is
/// stored, for images, their originals, and raw sources.
@Suite(.timeLimit(.minutes(1))) struct FaultyOriginTests {
    typealias Kind = FaultyOrigin.Kind
    typealias Answer = FaultyOrigin.Answer

    @Test(arguments: Kind.allCases)
    func `a response cut at any byte is 502, and nothing of it is stored`(_ kind: Kind) throws {
        let length = Signal(0)
        let faulty = try FaultyOrigin(kind) { _, connection in
            connection.send(Array(FaultyOrigin.message[..<length.value]))
        }
        let before = faulty.descriptors()
        for count in 0..<FaultyOrigin.message.count {
            length.update { $0 = count }
            #expect(try faulty.ask("a") == .status(502), "cut after \(count) bytes")
        }
        #expect(faulty.rig.origin.requests == FaultyOrigin.message.count + 1)
        #expect(faulty.descriptors(before) == before)
        #expect(try faulty.rig.metric("edgeprint_disk_stores_total") == 0)
        length.update { $0 = FaultyOrigin.message.count }
        #expect(try faulty.ask("a") == .status(200))
    }

    @Test(arguments: Kind.allCases)
    func `a response cut at any byte is completed if the source allows a repetition`(_ kind: Kind) throws {
        let begun = Lock<Set<String>>([])
        let faulty = try FaultyOrigin(
            kind,
            source: ", limits: { retries: 1 }, timeouts: { first-byte: 30s, total: 30s }"
        ) {
            request,
            connection in
            let isFirst = begun.withLock { $0.insert(request.target).inserted }
            let cut = Int(request.target.dropFirst()) ?? 0
            connection.serve(
                FaultyOrigin.picture,
                to: request,
                Array(FaultyOrigin.fields.dropFirst()),
                cutAfter: isFirst ? cut : nil
            )
        }
        let head = FaultyOrigin.message.count - FaultyOrigin.picture.count
        let cuts = Array(5..<FaultyOrigin.message.count)
        let clients = try cuts.map { cut in
            let client = try RawHTTPClient(port: faulty.rig.daemon.port, timeoutMilliseconds: 30_000)
            try client.send("GET \(kind.target("\(cut)")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return client
        }
        var bodies = Set<[UInt8]>()
        for (client, cut) in zip(clients, cuts) {
            let response = try client.readResponse()
            #expect(response.status == 200, "cut after \(cut) bytes")
            bodies.insert(response.body)
            client.close()
        }
        #expect(bodies.count == 1)
        if kind != .picture { #expect(bodies.first == FaultyOrigin.picture) }
        // What was cut in its body was resumed behind the cut, and everything is stored.
        let resumed = cuts.count { $0 > head }
        #expect(try faulty.rig.metric("edgeprint_transfer_resumptions_total") == Double(resumed))
        #expect(try faulty.rig.metric("edgeprint_transfer_retries_total") == Double(cuts.count))
        #expect(faulty.rig.origin.requests == 2 * cuts.count + 1)
        for cut in cuts { #expect(try faulty.ask("\(cut)") == .status(200)) }
        #expect(faulty.rig.origin.requests == 2 * cuts.count + 1)
    }

    /// A fault, and what the clients of each kind of request get.
    struct Fault: Sendable {
        var name: String
        var answers: [Kind: Answer]
        var script: ScriptedOrigin.Script

        init(
            _ name: String,
            picture: Answer,
            bare: Answer,
            raw: Answer,
            _ script: @escaping ScriptedOrigin.Script
        ) {
            self.name = name
            answers = [.picture: picture, .bare: bare, .raw: raw]
            self.script = script
        }

        init(_ name: String, _ status: Int, raw: Answer? = nil, _ script: @escaping ScriptedOrigin.Script) {
            self.init(name, picture: .status(status), bare: .status(status), raw: raw ?? .status(status), script)
        }
    }

    static let faults = [
        Fault("a length beyond the body", 502) { _, connection in
            let lines = ["HTTP/1.1 200 OK", "Content-Length: \(FaultyOrigin.picture.count + 1)", "", ""]
            connection.send(Array(lines.joined(separator: "\r\n").utf8) + FaultyOrigin.picture)
        },
        Fault("a length to which nothing can be added", 502) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Int.max)\r\n\r\nabc")
        },
        Fault("contradictory lengths", 502) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef")
        },
        Fault("a malformed chunk", 502, raw: .cut) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n")
        },
        Fault("silence", 504) { $1.waitForPeer() },
        Fault("a head of one byte at a time", 504) { _, connection in
            if let gate = try? ScriptedGate() { connection.trickle(FaultyOrigin.message, every: 50, until: gate) }
        },
        Fault("a body of one byte at a time", 504, raw: .cut) { _, connection in
            let length = FaultyOrigin.picture.count
            connection.send(Array(FaultyOrigin.message.dropLast(length)))
            if let gate = try? ScriptedGate() { connection.trickle(FaultyOrigin.picture, every: 50, until: gate) }
        },
        Fault("a stalled body", picture: .status(504), bare: .status(504), raw: .cut) { _, connection in
            connection.send(Array(FaultyOrigin.message.dropLast()))
            connection.waitForPeer()
        },
        Fault("endless fields", 502) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-More: \(String(repeating: "x", count: 1_000))\r\n") {}
        },
        Fault("an endless field", 502) { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nX-Long: ")
            while connection.send(String(repeating: "x", count: 1_000)) {}
        },
        Fault("endless interim responses", 502) { _, connection in
            while connection.send("HTTP/1.1 103 Early Hints\r\nX-More: \(String(repeating: "x", count: 1_000))\r\n\r\n")
            {}
        },
        Fault("a 206 that was not requested", 502, raw: .status(206)) { _, connection in
            let fields = ["Content-Range: bytes 0-9/10", "Connection: close"]
            connection.respond("206 Partial Content", fields, body: Array(0..<10))
        },
        Fault("a redirect to itself", 502, raw: .status(302)) { request, connection in
            connection.respond("302 Found", ["Location: \(request.target)", "Connection: close"], text: "")
        },
        Fault("redirects without end", 502, raw: .status(302)) { request, connection in
            connection.respond("302 Found", ["Location: \(request.target)x", "Connection: close"], text: "")
        },
        Fault("a redirect to another service", 403, raw: .status(302)) { _, connection in
            connection.respond("302 Found", ["Location: http://127.0.0.1:22/", "Connection: close"], text: "")
        },
    ]

    @Test(arguments: Kind.allCases)
    func `a fault has a status in time, leaves nothing open and stores nothing`(_ kind: Kind) throws {
        let faulty = try FaultyOrigin(kind) { request, connection in
            guard let number = Int(request.target.dropFirst().prefix(while: \.isNumber)) else { return }
            Self.faults[number].script(request, connection)
        }
        let before = faulty.descriptors()
        var requests = faulty.rig.origin.requests
        for (number, fault) in Self.faults.enumerated() {
            for _ in 0..<2 {
                let start = SystemTime().monotonic
                #expect(try faulty.ask("\(number)") == fault.answers[kind], "\(fault.name)")
                // The total timeout, and time for a busy machine.
                #expect(SystemTime().monotonic - start < 8_000_000_000, "\(fault.name)")
                #expect(faulty.rig.origin.requests > requests, "\(fault.name)")
                requests = faulty.rig.origin.requests
            }
            #expect(faulty.descriptors(before) == before, "\(fault.name)")
        }
        #expect(try faulty.rig.metric("edgeprint_disk_stores_total") == 0)
        #expect(try faulty.rig.metric("edgeprint_transfers_active") == 0)
    }

    @Test(arguments: Kind.allCases)
    func `bytes behind the length reach no response`(_ kind: Kind) throws {
        let extra = Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad".utf8)
        let faulty = try FaultyOrigin(kind) { _, connection in connection.send(FaultyOrigin.message + extra) }
        for name in ["a", "b", "c"] {
            let response = try faulty.rig.get(kind.target(name))
            #expect(response.status == 200)
            if kind != .picture { #expect(response.body == FaultyOrigin.picture) }
        }
    }

    @Test(arguments: [Kind.picture, .bare])
    func `a gzip bomb ends at the limit`(_ kind: Kind) throws {
        let bomb = Gzip.encode(TestImages.claimedPNG(width: 9, height: 9) + [UInt8](repeating: 0, count: 32 << 20))
        let faulty = try FaultyOrigin(kind) { _, connection in
            connection.respond("200 OK", ["Content-Encoding: gzip", "Connection: close"], body: bomb)
        }
        let before = faulty.descriptors()
        for count in 1...2 {
            #expect(try faulty.ask("a") == .status(413))
            #expect(faulty.rig.origin.requests == count + 1)
        }
        #expect(faulty.descriptors(before) == before)
        let received = try #require(try faulty.rig.metric("edgeprint_transfer_bytes_total"))
        #expect(received < 1_000_000)
    }
}
