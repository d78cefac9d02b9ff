import HTTPKit
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ClientRatesTests {
    private static let second: Int64 = 1_000_000_000

    private func client(_ number: UInt64) -> PeerAddress { PeerAddress(family: .ipv4, port: 1, high: 0, low: number) }

    @Test func `a client may use ten seconds' worth at once, and then its rate`() {
        let rates = ClientRates()
        var now = 100 * Self.second
        for _ in 0..<20 { #expect(rates.delay(of: client(1), rate: 2, now: now) == nil) }
        #expect(rates.delay(of: client(1), rate: 2, now: now) == 1)
        // A refused request takes nothing.
        now += Self.second / 2
        #expect(rates.delay(of: client(1), rate: 2, now: now) == nil)
        #expect(rates.delay(of: client(1), rate: 2, now: now) == 1)
        #expect(rates.delay(of: client(2), rate: 2, now: now) == nil)
        #expect(rates.delay(of: client(1), rate: 0, now: now) == nil)
        now += 30 * Self.second
        for _ in 0..<20 { #expect(rates.delay(of: client(1), rate: 2, now: now) == nil) }
        #expect(rates.delay(of: client(1), rate: 2, now: now) == 1)
    }

    @Test func `a debt survives the end of a window`() {
        let rates = ClientRates()
        var now = 100 * Self.second
        for _ in 0..<10 { #expect(rates.delay(of: client(1), rate: 1, now: now) == nil) }
        now += 9 * Self.second
        for _ in 0..<9 { #expect(rates.delay(of: client(1), rate: 1, now: now) == nil) }
        now += 2 * Self.second
        for _ in 0..<2 { #expect(rates.delay(of: client(1), rate: 1, now: now) == nil) }
        #expect(rates.delay(of: client(1), rate: 1, now: now) == 1)
    }

    @Test func `networks of IPv6 are one client, and Unix sockets none`() {
        let rates = ClientRates()
        let near = (0..<11).map { PeerAddress(port: 1, high: 0x2001_0DB8_0000_0001, low: $0) }
        let delays = near.map { rates.delay(of: $0, rate: 1, now: 0) }
        #expect(delays == [Int?](repeating: nil, count: 10) + [1])
        #expect(rates.delay(of: PeerAddress(port: 1, high: 0x2001_0DB8_0000_0002, low: 0), rate: 1, now: 0) == nil)
        let local = PeerAddress(family: .unix, port: 0, high: 0, low: 0)
        for _ in 0..<50 { #expect(rates.delay(of: local, rate: 1, now: 0) == nil) }
    }

    @Test func `clients beyond the number of buckets share one`() {
        let rates = ClientRates(largestCount: 3)
        for number in 1...3 { #expect(rates.delay(of: client(UInt64(number)), rate: 1, now: 0) == nil) }
        let delays = (4...14).map { rates.delay(of: client(UInt64($0)), rate: 1, now: 0) }
        #expect(delays == [Int?](repeating: nil, count: 10) + [1])
        for _ in 0..<9 { #expect(rates.delay(of: client(1), rate: 1, now: 0) == nil) }
    }

    @Test func `a client over its rate gets 429 with RateLimit and Retry-After, and hits still work`() throws {
        let rig = try EndToEndRig(
            "clients: { rate: 1 }",
            sources: "\n  files: { url: \"http://127.0.0.1:1/\", allow-private: true, raw: true }",
            script: ScriptedOrigin.pictures(["a.png": TestImages.gradient(width: 8, height: 8)])
        )
        #expect(try rig.get("/photos/a.png").status == 200)
        var refused: RawHTTPResponse?
        for number in 0..<200 where refused == nil {
            let answer = try rig.get("/photos/\(number).png")
            if answer.status == 429 { refused = answer } else { #expect(answer.status == 404) }
        }
        let answer = try #require(refused)
        #expect(answer["Retry-After"] == "1" && answer["RateLimit"] == "\"client\";r=0;t=1")
        #expect(answer["RateLimit-Policy"] == "\"client\";q=10;w=10")
        #expect(answer["Content-Type"] == "application/problem+json" && answer["Cache-Control"] == "no-store")
        #expect(answer["Cache-Status"] == "edgeprint; detail=refused")
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(try rig.get("/photos/a.png")["Cache-Status"] == "edgeprint; hit; detail=memory")
        // Raw sources count for the same clients.
        let statuses = try Set((0..<20).map { try rig.get("/files/\($0)").status })
        #expect(statuses.contains(429))
        // A reload lifts the limit.
        try rig.rewrite()
        rig.daemon.signal(1)
        try rig.daemon.waitForLog("configuration reloaded")
        for number in 300..<320 { #expect(try rig.get("/photos/\(number).png").status == 404) }
    }

    @Test func `a signing key is an account of its own, in each site`() {
        let rates = ClientRates()
        for _ in 0..<10 { #expect(rates.delay(ofKey: 1, in: "", rate: 1, now: 0) == nil) }
        #expect(rates.delay(ofKey: 1, in: "", rate: 1, now: 0) == 1)
        #expect(rates.delay(ofKey: 2, in: "", rate: 1, now: 0) == nil)
        #expect(rates.delay(ofKey: 1, in: "shop", rate: 1, now: 0) == nil)
        #expect(rates.delay(of: client(1), rate: 1, now: 0) == nil)
        #expect(rates.delay(ofKey: 1, in: "", rate: 0, now: 0) == nil)
    }

    @Test func `signed raw requests share the rate of their key`() throws {
        let key = String(repeating: "ab", count: 32)
        let rig = try EndToEndRig(
            "signing: { keys: [\(key)], rate: 1, required: true }\nproxies: { trust: [127.0.0.1] }",
            source: ", raw: true"
        ) { _, connection in connection.respond("404 Not Found", ["Cache-Control: max-age=60"], text: "no") }
        let signer = RequestSigner(keys: [try #require(SigningKey(hexadecimal: key))])
        let statuses = try (0..<30).map { number in
            let path = "/photos/\(number)"
            let signature = try #require(signer.signature(path: path.utf8, query: "".utf8))
            let client = [("X-Forwarded-For", "198.51.100.\(number)")]
            return try rig.get("\(path)?sig=\(signature)", client).status
        }
        #expect(statuses.contains(404) && statuses.contains(429) && Set(statuses) == [404, 429])
    }

    @Test func `requests signed with one key share its rate, whoever sends them, and unsigned ones do not`() throws {
        let key = String(repeating: "ab", count: 32)
        let rig = try EndToEndRig(
            "signing: { keys: [\(key)], rate: 1 }\nproxies: { trust: [127.0.0.1] }",
            script: ScriptedOrigin.pictures([:])
        )
        let signer = RequestSigner(keys: [try #require(SigningKey(hexadecimal: key))])
        var refused: RawHTTPResponse?
        for number in 0..<200 where refused == nil {
            let (path, query) = ("/photos/\(number).png", "w=9")
            let signature = try #require(signer.signature(path: path.utf8, query: query.utf8))
            let client = [("X-Forwarded-For", "198.51.100.\(number)")]
            let answer = try rig.get("\(path)?\(query)&sig=\(signature)", client)
            if answer.status == 429 { refused = answer } else { #expect(answer.status == 404) }
        }
        let answer = try #require(refused)
        #expect(answer["RateLimit-Policy"] == "\"key\";q=10;w=10")
        #expect(answer["RateLimit"]?.hasPrefix("\"key\";r=0;t=") == true && answer["Retry-After"] != nil)
        #expect(answer.text.contains("signed with this key"))
        #expect(try rig.get("/photos/unsigned.png?w=9").status == 404)
    }
}
