import CacheTestSupport
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct DiskStoreTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/deep/cache"
    }

    @Test func `returns a stored original and variant, also after a restart`() throws {
        let body = CacheFixture.bytes(100_000, seed: 1)
        let picture = CacheFixture.bytes(20_000, seed: 2)
        let origin = CacheFixture.origin(1, body: body)
        let variant = CacheFixture.variant(1, of: origin, bytes: picture)
        let store = try DiskStore.forTest(path)
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.store(variant: variant, origin: origin, bytes: picture)
        store.flush()
        func check(_ store: DiskStore) throws {
            let original = try #require(store.origin(origin.key))
            #expect(original.record == origin)
            #expect(try CacheFixture.read(try #require(original.file)) == body)
            let found = try #require(store.variant(variant.key))
            #expect(found.record == variant)
            #expect(found.origin == origin)
            #expect(try CacheFixture.read(found.file) == picture)
        }
        try check(store)
        store.close()
        #expect(store.variant(variant.key) == nil)
        let reopened = try DiskStore.forTest(path)
        try check(reopened)
        #expect(reopened.statistics.originals.entries == 1)
        #expect(reopened.statistics.originals.bytes == 100_000)
        #expect(reopened.statistics.variants.bytes == 20_000)
        #expect(reopened.statistics.variants.hits == 1)
        #expect(reopened.health == .healthy)
        reopened.close()
    }

    @Test(arguments: ImageFormat.allCases)
    func `keeps every field of both records`(format: ImageFormat) throws {
        let store = try DiskStore.forTest(path)
        let number = Int(format.rawValue)
        let body = CacheFixture.bytes(number)
        var origin = CacheFixture.origin(number, body: body)
        origin.source = "fetch"
        origin.url = "https://exämple.com/\u{1F5BC}?q=%00"
        origin.header = ImageHeader(
            format: format,
            width: 70_000 + number,
            height: 3,
            frames: 41,
            orientation: 8,
            hasAlpha: [nil, true, false][number % 3]
        )
        origin.entityTag = number % 2 == 0 ? nil : "W/\"\(number)\""
        origin.lastModified = number % 3 == 0 ? nil : ""
        origin.cacheControl = number % 5 == 0 ? nil : "no-cache"
        origin.freshness = Freshness(responseTime: .max, initialAge: -7, lifetime: .min)
        origin.advertisedLifetime = Int64(number) << 40
        var variant = CacheFixture.variant(number, of: origin, bytes: body)
        variant.format = .picture(format)
        variant.plan = "w=1&text='\"\n🖼"
        variant.width = 1
        variant.height = 1 << 40
        variant.frames = 1 << 33
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.store(variant: variant, origin: origin, bytes: body)
        store.flush()
        let found = try #require(store.variant(variant.key))
        #expect(found.record == variant)
        #expect(found.origin == origin)
        #expect(store.origin(origin.key)?.record == origin)
        store.close()
    }

    @Test func `an open file stays readable after its entry is removed`() throws {
        let store = try DiskStore.forTest(path)
        let body = CacheFixture.bytes(5000)
        let origin = CacheFixture.origin(1, body: body)
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.flush()
        let file = try #require(store.origin(origin.key)?.file)
        store.remove(origin: origin.key)
        store.flush()
        #expect(CacheFixture.files(.originals, in: path).isEmpty)
        #expect(try CacheFixture.read(file) == body)
        store.close()
    }

    @Test func `stores no body that contradicts its record`() throws {
        let store = try DiskStore.forTest(path)
        let body = CacheFixture.bytes(5000)
        // States more bytes than there are.
        var short = try CacheFixture.body(body)
        var origin = CacheFixture.origin(1, body: body)
        short.length = 6000
        origin.length = 6000
        store.store(origin: origin, body: short)
        // A source's file that was overwritten after it had been hashed.
        let changed = OriginBody(
            file: try CacheFixture.memoryFile(CacheFixture.bytes(5000, seed: 9), isSealed: false),
            length: 5000,
            digest: CacheKey(hashing: body)
        )
        store.store(origin: CacheFixture.origin(2, body: body), body: changed)
        // The same bytes unsealed are accepted.
        let unsealed = OriginBody(
            file: try CacheFixture.memoryFile(body, isSealed: false),
            length: 5000,
            digest: CacheKey(hashing: body)
        )
        store.store(origin: CacheFixture.origin(3, body: body), body: unsealed)
        store.flush()
        #expect(store.origin(origin.key) == nil)
        #expect(store.origin(CacheFixture.origin(2, body: body).key) == nil)
        #expect(store.origin(CacheFixture.origin(3, body: body).key)?.file != nil)
        #expect(store.statistics.drops == 2)
        #expect(store.health == .healthy)
        #expect(TemporaryFolder.names(in: path + "/tmp").isEmpty)
        store.close()
    }

    @Test func `drops records whose parts contradict each other`() throws {
        let store = try DiskStore.forTest(path)
        let bytes = CacheFixture.bytes(50)
        let origin = CacheFixture.origin(1, body: bytes)
        store.store(
            variant: CacheFixture.variant(1, of: origin, bytes: bytes),
            origin: CacheFixture.origin(2, body: bytes),
            bytes: bytes
        )
        store.store(variant: CacheFixture.variant(1, of: origin, bytes: bytes), origin: origin, bytes: [1])
        store.store(origin: origin, body: try CacheFixture.body([1]))
        store.flush()
        #expect(store.statistics.drops == 3)
        #expect(store.statistics.originals.drops == 1 && store.statistics.variants.drops == 2)
        #expect(store.statistics.variants.entries == 0)
        store.close()
    }

    @Test func `has the documented folder layout`() throws {
        let store = try DiskStore.forTest(path)
        store.close()
        let names = TemporaryFolder.names(in: path)
        #expect(names == ["CACHEDIR.TAG", "index.sqlite", "lock", "originals", "pending-purges", "tmp", "variants"])
        let tag = try CacheFixture.read(try SystemFiles().open(path + "/CACHEDIR.TAG", flags: O_RDONLY))
        #expect(String(decoding: tag, as: UTF8.self).hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test func `refuses stores over the queue's bounds immediately, but not removals`() throws {
        let store = try DiskStore.forTest(path) {
            $0.queueCount = 4
            $0.queueBytes = 1000
        }
        let gate = Monitor((isEntered: false, isOpen: false))
        // Holds the writer, so that nothing leaves the queue.
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        let origin = CacheFixture.origin(1, body: [1])
        func put(_ number: Int, _ count: Int) {
            let bytes = CacheFixture.bytes(count, seed: number)
            store.store(variant: CacheFixture.variant(number, of: origin, bytes: bytes), origin: origin, bytes: bytes)
        }
        put(1, 600)
        // 600 + 401 > 1000.
        put(2, 401)
        put(3, 400)
        #expect(store.statistics.drops == 1)
        #expect(store.statistics.queuedBytes == 1000)
        put(4, 0)
        put(5, 0)
        put(6, 0)
        #expect(store.statistics.drops == 2)
        for _ in 0..<4 { #expect(store.remove(origin: CacheFixture.key(1))) }
        #expect(!store.remove(origin: CacheFixture.key(1)))
        gate.update(wakingAll: true) { $0.isOpen = true }
        store.flush()
        #expect(store.statistics.queuedBytes == 0)
        #expect(store.statistics.variants.entries == 4)
        #expect(store.variant(CacheFixture.variant(3, of: origin, bytes: [1]).key) != nil)
        store.close()
    }

    @Test func `accepts one object that is larger than the queue's bytes`() throws {
        let store = try DiskStore.forTest(path) { $0.queueBytes = 1000 }
        let body = CacheFixture.bytes(5000)
        let origin = CacheFixture.origin(1, body: body)
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.flush()
        #expect(store.origin(origin.key)?.file != nil)
        store.close()
    }

    @Test func `concurrent readers see only complete bodies during writes`() async throws {
        let store = try DiskStore.forTest(path) {
            $0.limits.variants = 200_000
            $0.queueBytes = 10 << 20
        }
        let origin = CacheFixture.origin(1, body: [1])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for step in 0..<800 {
                    let bytes = CacheFixture.bytes(1000 + step % 7, seed: step)
                    let variant = CacheFixture.variant(step % 300, of: origin, bytes: bytes)
                    store.store(variant: variant, origin: origin, bytes: bytes)
                }
            }
            for reader in 0..<2 {
                group.addTask {
                    // Most of the last writes are kept, so that there is something to find at the end.
                    var hits = 0
                    var step = 0
                    while hits < 500 {
                        step += 1
                        let key = CacheKey(hashing: "variant \((step &* 7 &+ reader) % 300)")
                        guard let found = store.variant(key) else { continue }
                        hits += 1
                        let bytes = (try? CacheFixture.read(found.file)) ?? []
                        if CacheKey(hashing: bytes) != found.record.digest { Issue.record("other bytes than recorded") }
                    }
                }
            }
        }
        store.flush()
        #expect(store.statistics.errors == 0)
        #expect(store.statistics.variants.hits == 1000)
        #expect(store.statistics.variants.bytes <= 200_000)
        #expect(CacheFixture.files(.variants, in: path).count == store.statistics.variants.entries)
        store.close()
    }
}
