import CLinux
import Glibc
package import HTTPCache
import HTTPSemantics
package import LinuxSystem
import TestSupport

/// Records and bytes for the caches' tests.
package enum CacheFixture {
    /// Bytes that differ with their seed.
    package static func bytes(_ count: Int, seed: Int = 0) -> [UInt8] {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    /// A cache folder of layout 10; tests work on copies.
    package static let oldFolder = Checkout.path("Tests/ImagePipelineTests/Samples/Layout10")

    /// Reverts an index from layout 10 to 2.
    package static let undoPurgeColumns = """
        DROP TABLE failures;
        DROP TRIGGER variants_lose_ingredients; DROP TRIGGER origins_lose_ingredients; DROP TABLE ingredients;
        ALTER TABLE variants DROP COLUMN ingredients;
        DROP INDEX variants_by_plan; DROP INDEX origins_by_confirmation; ALTER TABLE origins DROP COLUMN for_seed;
        DROP TRIGGER origins_lose_tags; DROP TABLE tags; DROP INDEX origins_by_place;
        ALTER TABLE origins DROP COLUMN tags; ALTER TABLE variants DROP COLUMN presets;
        ALTER TABLE origins DROP COLUMN client_cache_control; ALTER TABLE origins DROP COLUMN kind;
        ALTER TABLE origins DROP COLUMN placeholder; ALTER TABLE variants DROP COLUMN stand_in;
        """

    /// Reverts an index from layout 15 to 14.
    package static let undoPlaces = """
        DROP TABLE purge_position; ALTER TABLE origins DROP COLUMN sequence; ALTER TABLE origins DROP COLUMN era;
        PRAGMA user_version = 14;
        """

    /// Reverts an index from layout 15 to 13.
    package static let undoNamespaces =
        undoPlaces + """
            DROP TABLE namespace_totals; DROP INDEX origins_by_use; DROP INDEX variants_by_use;
            ALTER TABLE origins DROP COLUMN namespace; ALTER TABLE variants DROP COLUMN namespace;
            CREATE INDEX origins_by_use ON origins (used, length) WHERE has_body = 1;
            CREATE INDEX variants_by_use ON variants (used, length); PRAGMA user_version = 13;
            """

    /// Reverts an index from layout 15 to 12.
    package static let undoSharing =
        undoNamespaces + """
            DROP INDEX origins_by_digest; DROP INDEX variants_by_digest; DROP INDEX origins_by_link; DROP INDEX variants_by_link;
            DROP INDEX variants_by_resolved; ALTER TABLE origins DROP COLUMN linked; ALTER TABLE variants DROP COLUMN linked;
            ALTER TABLE variants DROP COLUMN resolved; PRAGMA user_version = 12;
            """

    package static func key(_ number: Int) -> CacheKey { CacheKey(hashing: "key \(number)") }

    /// An original's record for given bytes, with the metadata of an image of 4032 × 3024 pixels.
    package static func origin(_ number: Int, body: [UInt8], responseTime: Int64 = 1000) -> OriginRecord {
        var fields = FieldLines()
        fields.appendStored("ETag", "\"tag-\(number)\"")
        fields.appendStored("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        fields.appendStored("Cache-Control", "public, max-age=60")
        let freshness = Freshness(responseTime: responseTime, initialAge: 3, lifetime: 60)
        return OriginRecord(
            key: CacheKey(hashing: "origin \(number)"),
            source: "photos",
            url: "https://photos.example.com/\(number).jpg",
            digest: CacheKey(hashing: body),
            length: body.count,
            fields: fields,
            policy: ResponsePolicy(storedWith: fields, freshness: freshness),
            advertisedLifetime: 3600,
            metadata: metadata([(6, 1), (7, 4032), (8, 3024), (9, 1), (10, 6), (11, 0)])
        )
    }

    /// A variant's record for given bytes, with the metadata of a WebP of 512 × 384 pixels.
    package static func variant(_ number: Int, of origin: OriginRecord, bytes: [UInt8]) -> VariantRecord {
        VariantRecord(
            key: CacheKey(hashing: "variant \(number)"),
            origin: origin.key,
            originDigest: origin.digest,
            plan: "w=\(number);format=webp",
            presets: [],
            length: bytes.count,
            digest: CacheKey(hashing: bytes),
            metadata: metadata([(5, 4), (6, 512), (7, 384), (8, 7)])
        )
    }

    /// Tagged numbers, as the pipeline encodes the metadata of images.
    private static func metadata(_ numbers: [(UInt16, Int)]) -> [UInt8] {
        var fields = TaggedFields()
        for (tag, number) in numbers { fields.put(tag, number) }
        return fields.bytes
    }

    /// A body as delivered by a transfer: a sealed memory file whose offset is at its end.
    package static func body(_ bytes: [UInt8]) throws -> OriginBody {
        let file = try memoryFile(bytes, isSealed: true)
        return OriginBody(file: file, length: bytes.count, digest: CacheKey(hashing: bytes))
    }

    package static func memoryFile(_ bytes: [UInt8], isSealed: Bool) throws(Errno) -> SharedDescriptor {
        let file = SharedDescriptor(owning: try checked("memfd_create") { unsafe edge_memfd_create("test") })
        try SystemFiles().write(bytes, to: file)
        if isSealed { try checked("seal") { edge_memfd_seal(file.number) } }
        return file
    }

    /// A file's bytes from offset 0, without the trailer of a content file.
    package static func read(_ file: SharedDescriptor) throws -> [UInt8] {
        let whole = try readAll(file)
        // The trailer ends with the length of its fields (4 bytes) and a magic number (8 bytes), and has 56 bytes besides its fields.
        guard whole.suffix(8) == [0x89, 0x45, 0x44, 0x47, 0x45, 0x0D, 0x0A, 0x1A] else { return whole }
        let fields = whole.suffix(12).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return whole.dropLast(fields + 56)
    }

    /// All of a file's bytes.
    package static func readAll(_ file: SharedDescriptor) throws -> [UInt8] {
        try SystemFiles().read(file, at: 0, count: try SystemFiles().size(of: file) + 1)
    }

    /// Writes a file at a path, replacing an existing one.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try SystemFiles().open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
        try SystemFiles().write(bytes, to: file)
    }

    /// Copies a folder with its contents.
    package static func copyTree(_ source: String, to target: String) throws {
        try SystemFiles().makeFolder(target)
        for name in TemporaryFolder.names(in: source) {
            let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
            if (try? SystemFiles().open(from, flags: O_RDONLY | O_DIRECTORY)) != nil {
                try copyTree(from, to: to)
            } else {
                try write(readAll(SystemFiles().open(from, flags: O_RDONLY)), to: to)
            }
        }
    }

    /// All content files of a class, as names.
    package static func files(_ diskClass: DiskClass, in path: String) -> [String] {
        let root = "\(path)/\(diskClass == .originals ? "originals" : "variants")"
        return TemporaryFolder.names(in: root).flatMap { outer in
            TemporaryFolder.names(in: "\(root)/\(outer)").flatMap { inner in
                TemporaryFolder.names(in: "\(root)/\(outer)/\(inner)")
            }
        }.sorted()
    }
}

extension DiskStore {
    /// Opens a store for a test, with small bounds and without unrequested background work.
    package static func forTest(
        _ path: String,
        time: any TimeSource = ManualTime(),
        files: any FileSystem = SystemFiles(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws(DiskStoreError) -> DiskStore {
        var configuration = Configuration(path: path, time: time, files: files)
        configuration.reconciles = false
        change(&configuration)
        return try DiskStore(configuration)
    }

    /// Waits until everything queued is committed.
    package func flush() {
        let gate = Monitor(false)
        flush { gate.update { $0 = true } }
        _ = gate.wait { $0 ? true : nil }
    }
}

/// The real file system, of which selected calls fail.
package final class FaultyFiles: FileSystem {
    /// A call of the file system.
    package enum Call: Hashable, Sendable {
        case makeFolder, create, open, size, read, write, copy, attach, attachment, rename, link, name, remove,
            removeFolder, list, freeBytes
    }

    /// Creates a file system of which no call fails.
    package init() {}

    private let faults = Lock<[Call: CInt]>([:])
    private let system = SystemFiles()

    /// Makes a call fail with an error number; `nil` lets it succeed again.
    package func fail(_ call: Call, with code: CInt?) {
        faults.withLock { $0[call] = code }
    }

    private func check(_ call: Call) throws(Errno) {
        if let code = faults.withLock({ $0[call] }) { throw Errno(code, "injected") }
    }

    package func makeFolder(_ path: String) throws(Errno) {
        try check(.makeFolder)
        try system.makeFolder(path)
    }

    package func open(_ path: String, flags: CInt) throws(Errno) -> SharedDescriptor {
        try check(flags & O_CREAT == 0 ? .open : .create)
        return try system.open(path, flags: flags)
    }

    package func size(of file: SharedDescriptor) throws(Errno) -> Int {
        try check(.size)
        return try system.size(of: file)
    }

    package func read(_ file: SharedDescriptor, at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        try check(.read)
        return try system.read(file, at: offset, count: count)
    }

    package func freeBytes(_ path: String) throws(Errno) -> Int {
        try check(.freeBytes)
        return try system.freeBytes(path)
    }

    package func write(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        try check(.write)
        try system.write(bytes, to: file)
    }

    package func copy(_ source: SharedDescriptor, to file: SharedDescriptor, length: Int) throws(Errno) -> Int {
        try check(.copy)
        return try system.copy(source, to: file, length: length)
    }

    package func attach(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        try check(.attach)
        try system.attach(bytes, to: file)
    }

    package func attachment(of file: SharedDescriptor) throws(Errno) -> [UInt8]? {
        try check(.attachment)
        return try system.attachment(of: file)
    }

    package func rename(_ path: String, to target: String) throws(Errno) {
        try check(.rename)
        try system.rename(path, to: target)
    }

    package func link(_ path: String, to target: String) throws(Errno) {
        try check(.link)
        try system.link(path, to: target)
    }

    package func name(_ file: SharedDescriptor, length: Int, _ path: String) throws(Errno) -> SharedDescriptor? {
        try check(.name)
        return try system.name(file, length: length, path)
    }

    package func remove(_ path: String) throws(Errno) {
        try check(.remove)
        try system.remove(path)
    }

    package func removeFolder(_ path: String) throws(Errno) {
        try check(.removeFolder)
        try system.removeFolder(path)
    }

    package func list(_ path: String) throws(Errno) -> [String] {
        try check(.list)
        return try system.list(path)
    }
}
