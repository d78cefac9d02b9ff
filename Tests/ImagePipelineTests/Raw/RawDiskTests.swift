import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing
import OriginTransfer

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct RawDiskTests {
    private static let fresh = "Cache-Control: max-age=60"

    @Test func `a stored response survives a restart with status, fields, body and age`() throws {
        let rig = try RawRig()
        let request = RawRig.request(setCookie: .store)
        let fields = [Self.fresh, "Set-Cookie: a=b", "Set-Cookie: c=d", "X: \u{FC}", "Location: /b"]
        _ = try rig.ask(request, fields, status: 302, body: "moved")
        let first = try rig.ask(request)
        try rig.restart()
        rig.time.advance(seconds: 10)
        let answer = try rig.ask(request)
        #expect(answer.cacheStatus == .hit(.disk))
        #expect(answer.status == 302 && answer.text == "moved" && answer.age == 10)
        #expect(answer.fields == first.fields && answer.fields["set-cookie"] == "a=b, c=d")
        // Now it is in memory.
        #expect(try rig.ask(request).cacheStatus == .hit(.memory))
        rig.time.advance(seconds: 50)
        #expect(try rig.ask(request, [Self.fresh], body: "new").text == "new")
        #expect(rig.loader.all.count == 2)
    }

    @Test func `each variant of a URL is found for the requests that select it`() throws {
        let rig = try RawRig()
        let fields = [Self.fresh, "Vary: Accept-Language, X-None"]
        for language in ["de", "en"] {
            _ = try rig.ask(RawRig.request("a", ["Accept-Language: \(language)"]), fields, body: language)
        }
        try rig.restart()
        for language in ["de", "en"] {
            #expect(try rig.ask(RawRig.request("a", ["Accept-Language: \(language)"])).text == language)
        }
        let other = RawRig.request("a", ["Accept-Language: fr"])
        let answer = try rig.ask(other, fields, body: "fr")
        #expect(answer.cacheStatus == .forwarded(.varyMiss, status: 200, collapsed: false))
        let some = RawRig.request("a", ["Accept-Language: de", "X-None: 1"])
        #expect(try rig.ask(some, fields, body: "1").text == "1")
        #expect(rig.loader.all.count == 4)
    }

    @Test func `a response too large for memory is found on disk`() throws {
        let rig = try RawRig(memory: 0)
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "x")
        // A response that waits for the disk stays available.
        #expect(try rig.ask(RawRig.request()).text == "x")
        for _ in 0..<2 {
            try rig.settle()
            #expect(try rig.ask(RawRig.request()).cacheStatus == .hit(.disk))
        }
        #expect(rig.loader.all.count == 1)
        #expect(rig.store.statistics.originals.entries == 1)
    }

    @Test(arguments: [
        (CacheTiers.all, true, true), (.memory, true, false), (.disk, false, true), (.none, false, false),
    ])
    func `uses the source's tiers`(tiers: CacheTiers, inMemory: Bool, onDisk: Bool) throws {
        let rig = try RawRig()
        let request = RawRig.request(tiers: tiers)
        _ = try rig.ask(request, [Self.fresh])
        rig.flush()
        #expect((rig.proxy.cached(request) != nil) == inMemory)
        #expect(rig.store.statistics.originals.entries == (onDisk ? 1 : 0))
        try rig.restart()
        #expect((try rig.ask(request, onDisk ? nil : [Self.fresh]).cacheStatus == .hit(.disk)) == onDisk)
    }

    @Test func `without storage, only waiting requests share a response`() throws {
        let rig = try RawRig()
        let request = RawRig.request(tiers: .none)
        let answers = Signal<[String]>([])
        for _ in 0..<3 {
            _ = rig.proxy.load(request) { result in
                if case .success(let answer) = result { answers.update { $0.append(answer.text) } }
            }
        }
        let load = try #require(try rig.loader.wait(for: 1).last)
        load.respond(
            FetchedResponse(
                status: 200,
                fields: RawRig.lines([Self.fresh]),
                content: .bytes(Array("shared".utf8)),
                requestTime: RawRig.now,
                responseTime: RawRig.now
            )
        )
        #expect(try answers.wait { $0.count == 3 } == ["shared", "shared", "shared"])
        #expect(rig.loader.all.count == 1)
        #expect(try rig.ask(request, [Self.fresh], body: "own").text == "own")
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func `an unsafe method invalidates the response on disk too`(method: String) throws {
        let rig = try RawRig()
        for path in ["a", "b", "c"] { _ = try rig.ask(RawRig.request(path), [Self.fresh], body: path) }
        try rig.restart()
        _ = try rig.ask(RawRig.request(method: method), ["Location: /b"], status: 201)
        try rig.restart()
        #expect(try rig.ask(RawRig.request("a"), [Self.fresh], body: "new").text == "new")
        #expect(try rig.ask(RawRig.request("b"), [Self.fresh], body: "new").text == "new")
        #expect(try rig.ask(RawRig.request("c")).text == "c")
    }

    @Test func `an unsafe method that fails at the origin invalidates nothing`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "a")
        try rig.restart()
        _ = try rig.ask(RawRig.request(method: "POST"), [], status: 500)
        #expect(try rig.ask(RawRig.request()).cacheStatus == .hit(.disk))
    }

    @Test func `a 304 updates the response on disk too`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh, "ETag: \"1\"", "X: old"], body: "a")
        rig.time.advance(seconds: 100)
        let confirmed = try rig.ask(RawRig.request(), ["Cache-Control: max-age=500", "X: new"], status: 304)
        #expect(confirmed.text == "a")
        try rig.restart()
        rig.time.advance(seconds: 400)
        let answer = try rig.ask(RawRig.request())
        #expect(answer.cacheStatus == .hit(.disk) && answer.fields["x"] == "new" && answer.text == "a")
    }

    @Test func `a response that must not be stored removes the one that it replaces from disk`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "a")
        _ = try rig.ask(RawRig.request("a", ["Cache-Control: no-cache"]), ["Cache-Control: no-store"], body: "b")
        try rig.restart()
        #expect(try rig.ask(RawRig.request(), [Self.fresh], body: "c").text == "c")
        #expect(rig.loader.all.count == 3)
    }

    @Test func `the least recently used response is evicted when the quota of originals is used up`() throws {
        let rig = try RawRig(memory: 0, quota: 10_000)
        let body = String(repeating: "x", count: 3000)
        for path in ["a", "b", "c"] {
            _ = try rig.ask(RawRig.request(path), [Self.fresh], body: body)
            try rig.settle()
        }
        _ = try rig.ask(RawRig.request("a"))
        _ = try rig.ask(RawRig.request("d"), [Self.fresh], body: body)
        try rig.settle()
        #expect(rig.store.statistics.originals.bytes <= 10_000)
        #expect(rig.store.statistics.originals.evictions > 0)
        #expect(try rig.ask(RawRig.request("a")).cacheStatus == .hit(.disk))
        #expect(try rig.ask(RawRig.request("b"), [Self.fresh]).cacheStatus != .hit(.disk))
    }

    @Test func `a use in memory counts on disk`() throws {
        let rig = try RawRig(quota: 10_000)
        let body = String(repeating: "x", count: 3000)
        for path in ["a", "b", "c"] { _ = try rig.ask(RawRig.request(path), [Self.fresh], body: body) }
        rig.flush()
        #expect(try rig.ask(RawRig.request("a")).cacheStatus == .hit(.memory))
        rig.flush()
        _ = try rig.ask(RawRig.request("d"), [Self.fresh], body: body)
        rig.flush()
        #expect(rig.store.raw(RawRig.request("a").key) != nil)
        #expect(rig.store.raw(RawRig.request("b").key) == nil)
    }

    @Test func `a response larger than the quota is not stored, and the one that it replaces is removed`() throws {
        let rig = try RawRig(quota: 2000)
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "small")
        rig.flush()
        #expect(rig.store.statistics.originals.entries == 1)
        let reload = RawRig.request("a", ["Cache-Control: no-cache"])
        _ = try rig.ask(reload, [Self.fresh], body: String(repeating: "x", count: 3000))
        rig.flush()
        #expect(rig.store.statistics.originals.entries == 0 && rig.store.statistics.drops == 1)
    }

    @Test func `a corrupted file on disk is detected and counts as a miss`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "true")
        rig.store.close()
        let name = try #require(CacheFixture.files(.originals, in: rig.folder.path).first)
        let file = "\(rig.folder.path)/originals/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
        var bytes = try CacheFixture.readAll(SystemFiles().open(file, flags: O_RDONLY))
        bytes[10] ^= 1
        try CacheFixture.write(bytes, to: file)
        #expect(
            try DiskCheck(path: rig.folder.path, listener: DiskCheck.Listener(found: { _, _ in })).run(repairs: false)
                .isSound == false
        )
        try rig.restart()
        #expect(try rig.ask(RawRig.request(), [Self.fresh], body: "new").text == "new")
        #expect(rig.store.statistics.corruptions == 1)
    }

    @Test func `a lost index is rebuilt from the files, which are validated before they are served`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh, "ETag: \"1\"", "Cache-Tag: t"], body: "a")
        try rig.restart(losesIndex: true)
        rig.store.reconcile()
        rig.flush()
        #expect(rig.store.statistics.adoptions == 1)
        let answer = try rig.ask(RawRig.request(), [Self.fresh], status: 304)
        #expect(answer.text == "a" && answer.cacheStatus == .revalidated)
        #expect(rig.loader.all.last?.fetch.exchange?.fields["if-none-match"] == "\"1\"")
        rig.flush()
        #expect(rig.store.count(.tags(["t"])).originals == 1)
        rig.store.close()
        #expect(
            try DiskCheck(path: rig.folder.path, listener: DiskCheck.Listener(found: { _, _ in })).run(repairs: false)
                .isSound
        )
    }

    @Test func `images and raw responses are kept apart`() throws {
        let rig = try RawRig()
        _ = try rig.ask(RawRig.request(), [Self.fresh], body: "a")
        rig.flush()
        let key = RawRig.request().key
        #expect(rig.store.origin(key) == nil && rig.store.raw(key) != nil)
        let body = CacheFixture.bytes(100)
        var picture = CacheFixture.origin(1, body: body)
        picture.key = key
        rig.store.store(origin: picture, body: try CacheFixture.body(body))
        rig.flush()
        #expect(rig.store.origin(key)?.record == picture && rig.store.raw(key) == nil)
        #expect(rig.store.statistics.originals.entries == 1)
    }

    @Test func `holds no memory without requests`() throws {
        let rig = try RawRig()
        for tiers in CacheTiers.allCases {
            _ = try rig.ask(RawRig.request("\(tiers)", tiers: tiers), [Self.fresh])
            let head = RawRig.request("\(tiers)", method: "HEAD", tiers: tiers)
            _ = try rig.ask(head, tiers == .none ? [Self.fresh] : nil)
            _ = try rig.ask(RawRig.request("\(tiers)", method: "POST", tiers: tiers), [])
        }
        try rig.settle()
        #expect(rig.proxy.cache.heldCount == 0)
    }
}
