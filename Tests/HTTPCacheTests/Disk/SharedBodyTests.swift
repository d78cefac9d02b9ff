import CacheTestSupport
import Glibc
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Equal bodies on disk: one file with several names, whose bytes count once.
@Suite(.timeLimit(.minutes(1)))
struct SharedBodyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let bytes = CacheFixture.bytes(5000, seed: 1)
    private let origin = CacheFixture.origin(1, body: [1])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
    }

    private func variant(_ number: Int, resolved: CacheKey? = nil) -> VariantRecord {
        var record = CacheFixture.variant(number, of: origin, bytes: bytes)
        record.resolved = resolved
        return record
    }

    /// The number of files and the number of their names, of a class.
    private func files(_ diskClass: DiskClass = .variants) throws -> (files: Int, names: Int) {
        let folder = DiskFolder(path: path)
        var numbers: Set<UInt> = []
        let names = CacheFixture.files(diskClass, in: path)
        for name in names {
            let root = folder.root(of: diskClass)
            var status = stat()
            let path = "\(root)/\(name.prefix(2))/\(name.dropFirst(2).prefix(2))/\(name)"
            try #require(unsafe lstat(path, &status) == 0)
            numbers.insert(UInt(status.st_ino))
        }
        return (numbers.count, names.count)
    }

    private func expectSound() throws {
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    @Test func `variants with equal bytes are one file, counted once, until the last of them is gone`() throws {
        let store = try DiskStore.forTest(path)
        for number in 1...3 { store.store(variant: variant(number), origin: origin, bytes: bytes) }
        store.flush()
        #expect(try files() == (1, 3))
        #expect(store.statistics.variants.entries == 3 && store.statistics.variants.bytes == 5000)
        #expect(store.statistics.links == 2)
        for number in 1...3 {
            let found = try #require(store.variant(variant(number).key))
            #expect(found.record == variant(number))
            #expect(try CacheFixture.read(found.file) == bytes)
        }
        store.close()
        try expectSound()
        let reopened = try DiskStore.forTest(path)
        #expect(reopened.statistics.variants.bytes == 5000)
        reopened.reconcile()
        reopened.flush()
        #expect(reopened.statistics.variants.entries == 3 && reopened.statistics.variants.bytes == 5000)
        reopened.remove(origin: origin.key)
        reopened.flush()
        #expect(reopened.statistics.variants.entries == 0 && reopened.statistics.variants.bytes == 0)
        #expect(try files() == (0, 0))
        reopened.close()
    }

    @Test func `the bytes count for a remaining row when the row that counted them is removed`() throws {
        let store = try DiskStore.forTest(path)
        for number in 1...2 { store.store(variant: variant(number), origin: origin, bytes: bytes) }
        let other = CacheFixture.origin(2, body: [2])
        store.store(variant: CacheFixture.variant(3, of: other, bytes: bytes), origin: other, bytes: bytes)
        store.flush()
        #expect(store.statistics.variants.bytes == 5000)
        store.remove(origin: origin.key)
        store.flush()
        #expect(store.statistics.variants.entries == 1 && store.statistics.variants.bytes == 5000)
        #expect(try CacheFixture.read(try #require(store.variant(CacheFixture.key(3, "variant"))).file) == bytes)
        store.close()
        try expectSound()
    }

    @Test func `a new body of an original makes its variants void, and not those that share their file`() throws {
        let store = try DiskStore.forTest(path)
        store.store(variant: variant(1), origin: origin, bytes: bytes)
        let other = CacheFixture.origin(2, body: [2])
        store.store(variant: CacheFixture.variant(3, of: other, bytes: bytes), origin: other, bytes: bytes)
        let news = CacheFixture.origin(1, body: [7], responseTime: 2000)
        store.store(variant: CacheFixture.variant(1, of: news, bytes: bytes), origin: news, bytes: bytes)
        store.flush()
        // The name of the old variant was taken, so its bytes were written again.
        #expect(try files() == (2, 2))
        #expect(store.statistics.variants.entries == 2 && store.statistics.variants.bytes == 10_000)
        #expect(store.variant(variant(1).key)?.record.originDigest == news.digest)
        store.close()
        try expectSound()
    }

    @Test func `originals with equal bytes are one file`() throws {
        let store = try DiskStore.forTest(path)
        let twins = (1...2).map { CacheFixture.origin($0, body: bytes) }
        for twin in twins { store.store(origin: twin, body: try CacheFixture.body(bytes)) }
        store.flush()
        #expect(try files(.originals) == (1, 2))
        #expect(store.statistics.originals.entries == 2 && store.statistics.originals.bytes == 5000)
        // A 304 keeps the share in the file.
        var renewed = twins[1]
        renewed.freshness.responseTime += 100
        store.store(origin: renewed, body: nil)
        store.remove(origin: twins[0].key)
        store.flush()
        #expect(store.statistics.originals.entries == 1 && store.statistics.originals.bytes == 5000)
        #expect(try CacheFixture.read(try #require(store.origin(twins[1].key)?.file)) == bytes)
        store.close()
        try expectSound()
    }

    @Test func `a variant without bytes is stored as another name, or dropped`() throws {
        let store = try DiskStore.forTest(path)
        store.store(sharing: variant(1), origin: origin, auxiliaries: [])
        store.flush()
        #expect(store.statistics.variants.entries == 0 && store.statistics.variants.drops == 1)
        #expect(store.health == .healthy)
        store.store(variant: variant(2), origin: origin, bytes: bytes)
        store.store(sharing: variant(1), origin: origin, auxiliaries: [])
        store.flush()
        #expect(try files() == (1, 2))
        #expect(try CacheFixture.read(try #require(store.variant(variant(1).key)).file) == bytes)
        store.close()
        try expectSound()
    }

    @Test(arguments: [EPERM, EMLINK, EXDEV, ENOENT, EEXIST])
    func `bytes are written if the file system gives no further names`(code: CInt) throws {
        let faulty = FaultyFiles()
        faulty.fail(.link, with: code)
        let store = try DiskStore.forTest(path, files: faulty)
        for number in 1...2 { store.store(variant: variant(number), origin: origin, bytes: bytes) }
        store.flush()
        #expect(try files() == (2, 2))
        #expect(store.statistics.variants.bytes == 10_000 && store.health == .healthy)
        store.close()
        try expectSound()
    }

    @Test func `a file that has lost bytes is not shared`() throws {
        let store = try DiskStore.forTest(path)
        store.store(variant: variant(1), origin: origin, bytes: bytes)
        store.flush()
        let file = DiskFolder(path: path).file(.variants, variant(1).key, variant(1).digest)
        try CacheFixture.write([1, 2, 3], to: file)
        store.store(variant: variant(2), origin: origin, bytes: bytes)
        store.flush()
        #expect(try CacheFixture.read(try #require(store.variant(variant(2).key)).file) == bytes)
        store.close()
    }

    @Test func `many names of a file cost its bytes again`() throws {
        let store = try DiskStore.forTest(path)
        for number in 1...(DiskIndex.mostNames + 1) {
            store.store(variant: variant(number), origin: origin, bytes: bytes)
        }
        store.flush()
        #expect(try files() == (2, DiskIndex.mostNames + 1))
        #expect(store.statistics.variants.bytes == 10_000)
        store.close()
        try expectSound()
    }

    @Test func `eviction frees a shared file with its last name`() throws {
        let store = try DiskStore.forTest(path) { $0.limits.variants = 12_000 }
        for number in 1...2 { store.store(variant: variant(number), origin: origin, bytes: bytes) }
        store.flush()
        for number in 3...5 {
            let other = CacheFixture.bytes(5000, seed: number)
            let record = CacheFixture.variant(number, of: origin, bytes: other)
            store.store(variant: record, origin: origin, bytes: other)
            store.flush()
            #expect(store.statistics.variants.bytes <= 12_000)
        }
        #expect(store.variant(variant(1).key) == nil && store.variant(variant(2).key) == nil)
        store.close()
        try expectSound()
    }

    @Test func `finds a variant by its resolved key, of the current original only`() throws {
        let resolved = CacheFixture.key(99)
        let store = try DiskStore.forTest(path)
        store.store(variant: variant(1, resolved: resolved), origin: origin, bytes: bytes)
        store.flush()
        let subject = PurgeSubject(variant(2), of: origin)
        #expect(store.variant(resolved: resolved, for: subject)?.record.key == variant(1).key)
        #expect(store.variant(resolved: CacheFixture.key(98), for: subject) == nil)
        store.close()
        // The files alone have it, too.
        try SystemFiles().remove(path + "/index.sqlite")
        let rebuilt = try DiskStore.forTest(path)
        rebuilt.reconcile()
        rebuilt.flush()
        #expect(rebuilt.variant(resolved: resolved, for: subject)?.record == variant(1, resolved: resolved))
        let news = CacheFixture.origin(1, body: [7], responseTime: 2000)
        rebuilt.store(origin: news, body: try CacheFixture.body([7]))
        rebuilt.flush()
        #expect(rebuilt.variant(resolved: resolved, for: subject) == nil)
        rebuilt.close()
    }

    @Test func `a pending purge of a preset hides results from its requests, and removes them`() throws {
        let resolved = CacheFixture.key(99)
        let store = try DiskStore.forTest(path)
        store.store(variant: variant(1, resolved: resolved), origin: origin, bytes: bytes)
        store.store(variant: variant(2, resolved: resolved), origin: origin, bytes: bytes)
        store.flush()
        let pattern = PresetPattern(name: "small", steps: "", settings: [])
        var wanted = PurgeSubject(variant(3), of: origin)
        #expect(store.tombstone(.preset(pattern)))
        #expect(store.variant(resolved: resolved, for: wanted) != nil)
        wanted.presets = ["small"]
        #expect(store.variant(resolved: resolved, for: wanted) == nil)
        _ = store.remove(.preset(pattern), completion: nil)
        store.flush()
        #expect(store.statistics.variants.entries == 2)
        var named = variant(2, resolved: resolved)
        named.presets = ["small"]
        store.store(variant: named, origin: origin, bytes: bytes)
        store.flush()
        #expect(store.tombstone(.preset(pattern)))
        _ = store.remove(.preset(pattern), completion: nil)
        store.flush()
        #expect(store.statistics.variants.entries == 0 && store.statistics.variants.bytes == 0)
        store.close()
    }

    @Test func `a folder of layout 12 keeps its entries, and shares their files`() throws {
        do {
            let store = try DiskStore.forTest(path)
            store.store(origin: origin, body: try CacheFixture.body([1]))
            store.store(variant: variant(1), origin: origin, bytes: bytes)
            store.flush()
            store.close()
            let index = try SQLiteConnection(path: DiskFolder(path: path).index, access: .readWrite)
            try index.execute(CacheFixture.undoSharing)
        }
        let store = try DiskStore.forTest(path)
        #expect(store.variant(variant(1).key)?.record == variant(1))
        #expect(store.origin(origin.key)?.file != nil)
        store.store(variant: variant(2), origin: origin, bytes: bytes)
        store.flush()
        #expect(try files() == (1, 2))
        #expect(store.statistics.variants.entries == 2 && store.statistics.variants.bytes == 5000)
        store.close()
        try expectSound()
    }
}

extension CacheFixture {
    fileprivate static func key(_ number: Int, _ kind: String) -> CacheKey { CacheKey(hashing: "\(kind) \(number)") }
}
