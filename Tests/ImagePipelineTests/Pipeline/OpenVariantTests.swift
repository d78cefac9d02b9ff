import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// Variants that are on disk and not in memory, and whose files are open.
@Suite(.timeLimit(.minutes(1)))
struct OpenVariantTests {
    /// Does not keep a file open.
    private struct WeakFile {
        weak var file: SharedDescriptor?
    }

    /// Makes variants of 1,000 bytes, and requests each a second time, which opens its file.
    private func fill(_ rig: PipelineRig, _ widths: ClosedRange<Int>, _ cache: CacheTiers = .disk) throws {
        for width in widths {
            let (loads, jobs) = (rig.loader.all.count, rig.transformer.all.count)
            let pending = ask(rig, width, cache)
            if loads == 0 {
                let load = try rig.loader.wait(for: 1)[0]
                load.answer(rig.png(), at: rig.time.wallSeconds, cacheControl: "max-age=600")
            }
            try rig.transformer.wait(for: jobs + 1)[jobs].make([UInt8](repeating: UInt8(width), count: 1000))
            _ = try pending.value()
            try rig.settle()
            #expect(try ask(rig, width, cache).value().status == .hit(.disk))
        }
    }

    private func ask(_ rig: PipelineRig, _ width: Int, _ cache: CacheTiers = .disk) -> PendingAnswer {
        rig.ask("a.png", "w=\(width)", cache: cache)
    }

    private func open(_ rig: PipelineRig, _ width: Int, _ cache: CacheTiers = .disk) -> Entity? {
        rig.pipeline.open(rig.request("a.png", "w=\(width)", cache: cache), now: rig.time.wallSeconds)
    }

    /// The path of the content file of an open variant.
    private func path(_ rig: PipelineRig, _ width: Int) throws -> String {
        let digest = try #require(open(rig, width)).description.digest
        let folder = DiskFolder(path: rig.folder.path + "/cache")
        return folder.file(.variants, rig.request("a.png", "w=\(width)").key, digest)
    }

    private func weakFile(of entity: Entity) -> WeakFile {
        guard case .file(let file, _) = entity.body else { return WeakFile(file: nil) }
        return WeakFile(file: file)
    }

    @Test func `the file of an evicted variant is closed`() throws {
        let rig = try PipelineRig()
        try fill(rig, 1...3)
        let evicted = weakFile(of: try #require(open(rig, 1)))
        for width in 2...3 { #expect(open(rig, width) != nil) }
        rig.store.setLimits(DiskLimits(originals: 1 << 30, variants: 2500))
        try rig.settle()
        #expect(open(rig, 1) == nil)
        try waitWhile(evicted.file != nil)
        for width in 2...3 { #expect(open(rig, width)?.memory == [UInt8](repeating: UInt8(width), count: 1000)) }
    }

    @Test func `files are closed when descriptors are short, and opened again for the next request`() throws {
        let rig = try PipelineRig()
        try fill(rig, 1...3)
        let first = weakFile(of: try #require(open(rig, 1)))
        #expect(rig.pipeline.closeFiles() == 3)
        #expect(rig.pipeline.closeFiles() == 0)
        try waitWhile(first.file != nil)
        #expect(open(rig, 1) == nil)
        #expect(try ask(rig, 1).value().status == .hit(.disk))
        #expect(open(rig, 1) != nil && open(rig, 2) == nil)
    }

    @Test func `open files take an eighth of the process's descriptors at most`() {
        let limit = DescriptorLimit.current
        #expect(PipelineParts.Limits().openFiles == min(512, limit / 8))
        #expect(PipelineParts.Limits(openFiles: 7).openFiles == 7)
    }

    @Test func `a file that has become shorter is not sent, and its variant is discarded and made again`() throws {
        let rig = try PipelineRig()
        try fill(rig, 1...2)
        try CacheFixture.write([1, 2, 3], to: path(rig, 1))
        #expect(open(rig, 1) == nil)
        try rig.settle()
        #expect(rig.store.statistics.corruptions == 1)
        #expect(rig.store.statistics.variants.entries == 1)
        #expect(open(rig, 2) != nil)
        let again = ask(rig, 1)
        try rig.transformer.wait(for: 3)[2].make([7])
        #expect(try again.value().entity.memory == [7])
    }

    @Test func `a variant is discarded if its response was cut off because its file has become shorter`() throws {
        let rig = try PipelineRig()
        try fill(rig, 1...2)
        guard case .file(let first, _)? = open(rig, 1)?.body, case .file(let second, _)? = open(rig, 2)?.body else {
            Issue.record("the files are not open")
            return
        }
        try CacheFixture.write([1, 2, 3], to: path(rig, 1))
        rig.pipeline.noteFailure(of: first)
        // Its disk may work again later.
        rig.pipeline.noteFailure(of: second)
        #expect(open(rig, 1) == nil && open(rig, 2) == nil)
        try rig.settle()
        #expect(rig.store.statistics.corruptions == 1 && rig.store.statistics.variants.entries == 1)
        #expect(try ask(rig, 2).value().status == .hit(.disk))
    }

    /// Also what memory pressure does, and a reload.
    @Test func `variants return to memory when it has room for them again`() throws {
        let rig = try PipelineRig()
        rig.memory.resize(capacity: 0)
        try fill(rig, 1...1, .all)
        #expect(open(rig, 1, .all) != nil)
        rig.memory.resize(capacity: 64 << 20)
        // This one is to stay on disk.
        #expect(open(rig, 1, .disk) != nil)
        #expect(open(rig, 1, .all) == nil)
        #expect(try ask(rig, 1, .all).value().status == .hit(.disk))
        #expect(rig.pipeline.cached(rig.request("a.png", "w=1"), now: rig.time.wallSeconds) != nil)
        #expect(open(rig, 1, .all) == nil)
    }

    @Test func `a file that is deleted while it is opened is sent, but not kept open`() throws {
        let rig = try PipelineRig { EvictingDisk($0) }
        try fill(rig, 1...1)
        #expect(open(rig, 1) == nil)
    }
}

/// A store that evicts each variant right after it has been looked up.
private final class EvictingDisk: DiskStoring {
    private let store: DiskStore

    init(_ store: DiskStore) { self.store = store }

    func variant(_ key: CacheKey) -> StoredVariant? {
        guard let found = store.variant(key) else { return nil }
        store.drop(variant: key, digest: found.record.digest)
        store.flush()
        return found
    }

    func origin(_ key: CacheKey) -> StoredOrigin? { store.origin(key) }
    func store(variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord], bytes: [UInt8]) -> Bool {
        store.store(variant: variant, origin: origin, auxiliaries: auxiliaries, bytes: bytes)
    }
    func variant(resolved key: CacheKey, for subject: PurgeSubject) -> StoredVariant? {
        store.variant(resolved: key, for: subject)
    }
    func store(sharing variant: VariantRecord, origin: OriginRecord, auxiliaries: [OriginRecord]) -> Bool {
        store.store(sharing: variant, origin: origin, auxiliaries: auxiliaries)
    }
    func store(origin: OriginRecord, body: OriginBody?) -> Bool { store.store(origin: origin, body: body) }
    func dropBody(ofOrigin key: CacheKey, digest: CacheKey) { store.dropBody(ofOrigin: key, digest: digest) }
    func tombstone(_ purge: Purge) -> Bool { store.tombstone(purge) }
    func remove(_ purge: Purge, at place: PurgePlace?, completion: (@Sendable (PurgeCounts) -> Void)?) -> Bool {
        store.remove(purge, at: place, completion: completion)
    }
    func count(_ selection: PurgeSelection) -> PurgeCounts { store.count(selection) }
    func touch(_ diskClass: DiskClass, _ key: CacheKey) { store.touch(diskClass, key) }
    func flush(_ completion: @escaping @Sendable () -> Void) { store.flush(completion) }
    func observeDeletions(_ observer: @escaping @Sendable (DeletedFiles) -> Void) { store.observeDeletions(observer) }
}
