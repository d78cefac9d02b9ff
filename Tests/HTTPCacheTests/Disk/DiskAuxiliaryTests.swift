import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Variants with auxiliary images whose bodies are not stored, like those of folder sources.
@Suite(.timeLimit(.minutes(1)))
struct DiskAuxiliaryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func origin(_ number: Int, version: Int) -> OriginRecord {
        CacheFixture.origin(
            number,
            body: CacheFixture.bytes(50, seed: 100 * number + version),
            responseTime: 1000 + Int64(version)
        )
    }

    private func variant(_ number: Int, of origin: OriginRecord, with logo: OriginRecord, _ bytes: [UInt8])
        -> VariantRecord
    {
        var variant = CacheFixture.variant(number, of: origin, bytes: bytes)
        variant.auxiliaries = [VariantRecord.Auxiliary(key: logo.key, digest: logo.digest)]
        return variant
    }

    private func store(
        _ number: Int,
        _ origin: OriginRecord,
        _ logo: OriginRecord,
        _ bytes: [UInt8],
        in store: DiskStore
    ) {
        let record = variant(number, of: origin, with: logo, bytes)
        store.store(variant: record, origin: origin, auxiliaries: [logo], bytes: bytes)
        store.flush()
    }

    private func damage() throws -> [DiskDamage] {
        var damage: [DiskDamage] = []
        let listener = DiskCheck.Listener(found: { found, _ in damage.append(found) })
        _ = try DiskCheck(path: folder.path, listener: listener).run(repairs: false)
        return damage
    }

    @Test func `stores auxiliary images with a variant, and their records while a variant needs them`() throws {
        let disk = try DiskStore.forTest(folder.path) { $0.limits.variants = 150 }
        let (picture, logo) = (origin(1, version: 1), origin(2, version: 1))
        store(1, picture, logo, CacheFixture.bytes(100, seed: 1), in: disk)
        let stored = try #require(disk.variant(CacheKey(hashing: "variant 1")))
        #expect(stored.record.auxiliaries == [.init(key: logo.key, digest: logo.digest)])
        #expect(disk.origin(logo.key)?.record == logo)
        // The quota evicts the first, and with it everything that only the first needed.
        store(2, origin(3, version: 1), origin(4, version: 1), CacheFixture.bytes(100, seed: 2), in: disk)
        #expect(disk.variant(CacheKey(hashing: "variant 1")) == nil)
        #expect(disk.origin(logo.key) == nil && disk.origin(picture.key) == nil)
        #expect(disk.origin(origin(4, version: 1).key) != nil)
        disk.close()
        #expect(try damage().isEmpty)
    }

    @Test(arguments: [(1, 2), (2, 1), (2, 2)])
    func `a variant replaces the one that a change has invalidated`(picture: Int, logo: Int) throws {
        let disk = try DiskStore.forTest(folder.path)
        store(1, origin(1, version: 1), origin(2, version: 1), [1, 1], in: disk)
        store(2, origin(3, version: 1), origin(2, version: 1), [2, 2], in: disk)
        store(1, origin(1, version: picture), origin(2, version: logo), [3, 3], in: disk)
        let stored = try #require(disk.variant(CacheKey(hashing: "variant 1")))
        #expect(stored.file.read(count: 2) == [3, 3])
        #expect(stored.origin == origin(1, version: picture))
        #expect(disk.origin(origin(2, version: 1).key)?.record == origin(2, version: logo))
        // Variants made with the earlier logo are invalid as well.
        #expect((disk.variant(CacheKey(hashing: "variant 2")) == nil) == (logo == 2))
        disk.close()
        #expect(try damage().isEmpty)
    }

    @Test func `the original may be its own auxiliary image`() throws {
        let disk = try DiskStore.forTest(folder.path)
        for version in 1...2 {
            store(1, origin(1, version: version), origin(1, version: version), [UInt8(version)], in: disk)
            #expect(disk.variant(CacheKey(hashing: "variant 1"))?.file.read(count: 1) == [UInt8(version)])
        }
        #expect(disk.remove(origin: origin(1, version: 2).key))
        disk.flush()
        #expect(disk.variant(CacheKey(hashing: "variant 1")) == nil && disk.statistics.variants.entries == 0)
        disk.close()
        #expect(try damage().isEmpty)
    }

    @Test func `a rebuild from the files keeps the keys of a variant's auxiliary images, but not their rows`() throws {
        let disk = try DiskStore.forTest(folder.path)
        let logo = origin(2, version: 1)
        store(1, origin(1, version: 1), logo, [7], in: disk)
        disk.close()
        for suffix in ["", "-wal", "-shm"] { TemporaryFolder.delete(DiskFolder(path: folder.path).index + suffix) }
        let later = try DiskStore.forTest(folder.path)
        later.reconcile()
        later.flush()
        let stored = try #require(later.variant(CacheKey(hashing: "variant 1")))
        #expect(stored.record.auxiliaries.map(\.key) == [logo.key])
        #expect(later.origin(logo.key) == nil)
    }
}
