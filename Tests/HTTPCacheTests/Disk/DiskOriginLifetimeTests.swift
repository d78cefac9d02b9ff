import CacheTestSupport
import LinuxSystem
import HTTPSemantics
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskOriginLifetimeTests {
    private let folder: TemporaryFolder
    private let body = CacheFixture.bytes(1000, seed: 1)
    private let picture = CacheFixture.bytes(100, seed: 2)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `keeps an original's record without its body while a variant needs it`() throws {
        let store = try DiskStore.forTest(folder.path) { $0.limits.originals = 1500 }
        let first = CacheFixture.origin(1, body: body)
        let variant = CacheFixture.variant(1, of: first, bytes: picture)
        let other = CacheFixture.bytes(1000, seed: 3)
        store.store(origin: first, body: try CacheFixture.body(body))
        store.store(variant: variant, origin: first, bytes: picture)
        store.store(origin: CacheFixture.origin(2, body: other), body: try CacheFixture.body(other))
        store.flush()
        let found = try #require(store.origin(first.key))
        #expect(found.record == first)
        #expect(found.file == nil)
        #expect(store.variant(variant.key)?.origin == first)
        #expect(store.statistics.originals.entries == 1)
        // Its body is stored again next to the variant.
        store.store(origin: first, body: try CacheFixture.body(body))
        store.flush()
        #expect(store.origin(first.key)?.file != nil)
        #expect(store.variant(variant.key) != nil)
        // The second had no variant, so nothing is left of it.
        #expect(store.origin(CacheFixture.origin(2, body: other).key) == nil)
        store.close()
    }

    @Test func `removes an original's record with its last variant`() throws {
        let store = try DiskStore.forTest(folder.path) { $0.limits.variants = 150 }
        let first = CacheFixture.origin(1, body: body)
        let second = CacheFixture.origin(2, body: body)
        store.store(variant: CacheFixture.variant(1, of: first, bytes: picture), origin: first, bytes: picture)
        let other = CacheFixture.bytes(picture.count, seed: 9)
        store.store(variant: CacheFixture.variant(2, of: second, bytes: other), origin: second, bytes: other)
        store.flush()
        #expect(store.origin(first.key) == nil)
        #expect(store.origin(second.key)?.record == second)
        store.close()
    }

    @Test func `updates an original's fields after a 304 and keeps body and variants`() throws {
        let store = try DiskStore.forTest(folder.path)
        let origin = CacheFixture.origin(1, body: body)
        let variant = CacheFixture.variant(1, of: origin, bytes: picture)
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.store(variant: variant, origin: origin, bytes: picture)
        var news = origin
        news.freshness = Freshness(responseTime: 5000, initialAge: 0, lifetime: 99)
        news.entityTag = "\"new\""
        store.store(origin: news, body: nil)
        store.flush()
        #expect(store.variant(variant.key)?.origin == news)
        #expect(store.origin(origin.key)?.record == news)
        #expect(store.origin(origin.key)?.file != nil)
        // A variant in progress has the older record, which does not replace the newer one.
        let late = CacheFixture.variant(2, of: origin, bytes: picture)
        store.store(variant: late, origin: origin, bytes: picture)
        store.flush()
        #expect(store.variant(late.key)?.origin == news)
        #expect(store.statistics.originals.entries == 1)
        #expect(store.statistics.originals.bytes == 1000)
        store.close()
    }

    @Test func `an update does not create an original`() throws {
        let store = try DiskStore.forTest(folder.path)
        let origin = CacheFixture.origin(1, body: body)
        store.store(origin: origin, body: nil)
        store.flush()
        #expect(store.origin(origin.key) == nil)
        store.close()
    }

    @Test(arguments: [true, false])
    func `invalidates variants when the original has changed`(bringsBody: Bool) throws {
        let store = try DiskStore.forTest(folder.path)
        let old = CacheFixture.origin(1, body: body)
        let variants = (1...3).map { CacheFixture.variant($0, of: old, bytes: picture) }
        store.store(origin: old, body: try CacheFixture.body(body))
        for variant in variants { store.store(variant: variant, origin: old, bytes: picture) }
        store.flush()
        // The same length, so only the digest differs.
        let changed = CacheFixture.bytes(1000, seed: 7)
        let new = CacheFixture.origin(1, body: changed, responseTime: 2000)
        if bringsBody {
            store.store(origin: new, body: try CacheFixture.body(changed))
        } else {
            let made = CacheFixture.variant(9, of: new, bytes: picture)
            store.store(variant: made, origin: new, bytes: picture)
            store.flush()
            #expect(store.variant(made.key)?.origin == new)
        }
        store.flush()
        for variant in variants { #expect(store.variant(variant.key) == nil) }
        #expect(store.origin(old.key)?.record == new)
        #expect(CacheFixture.files(.variants, in: folder.path).count == (bringsBody ? 0 : 1))
        #expect(CacheFixture.files(.originals, in: folder.path).count == (bringsBody ? 1 : 0))
        #expect(store.statistics.originals.bytes == (bringsBody ? 1000 : 0))
        if let file = store.origin(old.key)?.file { #expect(try CacheFixture.read(file) == changed) }
        // A variant made from the old body is stored too late.
        store.store(variant: variants[0], origin: old, bytes: picture)
        store.flush()
        #expect(store.variant(variants[0].key) == nil)
        store.close()
    }

    @Test func `serves nothing of a removed original after the call`() throws {
        let store = try DiskStore.forTest(folder.path)
        let origin = CacheFixture.origin(1, body: body)
        let variant = CacheFixture.variant(1, of: origin, bytes: picture)
        store.store(origin: origin, body: try CacheFixture.body(body))
        store.store(variant: variant, origin: origin, bytes: picture)
        store.flush()
        let gate = Monitor((isEntered: false, isOpen: false))
        store.flush {
            gate.update(wakingAll: true) { $0.isEntered = true }
            _ = gate.wait { $0.isOpen ? true : nil }
        }
        _ = gate.wait { $0.isEntered ? true : nil }
        store.remove(origin: origin.key)
        // The writer is blocked, but the removal is visible:
        #expect(store.variant(variant.key) == nil)
        #expect(store.origin(origin.key) == nil)
        gate.update(wakingAll: true) { $0.isOpen = true }
        store.flush()
        #expect(store.variant(variant.key) == nil)
        #expect(CacheFixture.files(.variants, in: folder.path).isEmpty)
        #expect(store.statistics.variants.bytes == 0)
        // Stored again, it is served again.
        store.store(variant: variant, origin: origin, bytes: picture)
        store.flush()
        #expect(store.variant(variant.key) != nil)
        store.close()
    }

    @Test func `keeps an original that is removed and stored again in one batch`() throws {
        let store = try DiskStore.forTest(folder.path)
        let origin = CacheFixture.origin(1, body: body)
        for _ in 0..<20 {
            store.store(origin: origin, body: try CacheFixture.body(body))
            store.remove(origin: origin.key)
            store.store(origin: origin, body: try CacheFixture.body(body))
        }
        store.flush()
        #expect(try CacheFixture.read(try #require(store.origin(origin.key)?.file)) == body)
        #expect(store.statistics.originals.bytes == 1000)
        store.close()
    }
}
