import CacheTestSupport
import HTTPSemantics
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// `Samples/Layout10` is a cache folder written by the last release before layout 11, from requests for these URLs.
@Suite(.timeLimit(.minutes(1)))
struct DiskLayoutTests {
    private let folder: TemporaryFolder
    private let path: String
    private let old: OldFolder

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/cache"
        old = try OldFolder(copiedTo: path)
    }

    private func open(_ change: (inout DiskStore.Configuration) -> Void = { _ in }) throws -> DiskStore {
        try DiskStore.forTest(path) {
            $0.isReadable = PictureMetadata.isReadable
            change(&$0)
        }
    }

    @Test func `reads everything that the previous release stored`() throws {
        let store = try open()
        for (expected, hasBody) in old.pictures {
            let found = try #require(store.origin(expected.key))
            #expect(found.record == expected)
            #expect((found.file != nil) == hasBody)
        }
        #expect(old.variants.count == 6)
        for expected in old.variants {
            let found = try #require(store.variant(expected.key))
            #expect(found.record == expected)
            #expect(try CacheKey(hashing: CacheFixture.read(found.file)) == expected.digest)
            #expect(found.origin == old.pictures.first { $0.record.key == expected.origin }?.record)
        }
        #expect(store.statistics.variants.entries == 6 && store.statistics.originals.entries == 5)
        store.reconcile()
        store.flush()
        #expect(store.statistics.variants.entries == 6 && store.statistics.originals.entries == 5)
        store.close()
        #expect(try DiskCheck(path: path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    @Test func `preserves the origins' fields`() throws {
        let store = try open()
        func record(_ name: String) throws -> OriginRecord {
            let key = try #require(old.pictures.first { $0.record.url.hasSuffix(name) }?.record.key)
            return try #require(store.origin(key)?.record)
        }
        let plain = try record("plain.png")
        #expect(plain.header == ImageHeader(format: .png, width: 24, height: 16, hasAlpha: true))
        #expect(plain.entityTag == "\"plain-1\"" && plain.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(plain.downstreamCacheControl == "public, max-age=3600, stale-while-revalidate=30")
        #expect(plain.clientCacheControl == nil && plain.tags == ["red", "round"] && plain.status == 200)
        #expect(plain.placeholder?.dominant?.text == "7fcc50")
        #expect(plain.policy.staleAllowance.whileRevalidating == 30 && plain.freshness.lifetime == 3600)
        let targeted = try record("cdn.png")
        #expect(targeted.fields["cdn-cache-control"] == "max-age=7200, stale-if-error=60")
        #expect(targeted.downstreamCacheControl == "no-cache" && targeted.policy.control.noCache == .absent)
        #expect(targeted.policy.staleAllowance.ifError == 60 && targeted.freshness.lifetime == 7200)
        let mute = try record("mute.png")
        #expect(
            mute.downstreamCacheControl == nil && mute.clientCacheControl == "" && mute.policy.control.maxAge == 7200
        )
        store.close()
    }

    @Test func `reads raw responses, failures, tags and auxiliary images of the previous release`() throws {
        let store = try open()
        let raw = try #require(store.raw(old.raw.key))
        #expect(raw.record.kind == .raw && raw.record.tags == ["green"] && raw.record.metadata.isEmpty)
        #expect(raw.record.freshness == old.raw.freshness && raw.record.fields.lines.isEmpty)
        let entry = try #require(RawEntry(raw, about: PurgeSubject(raw.record)))
        #expect(entry.responses.map { $0.fields["etag"] } == ["\"t-de\"", "\"t-en\""])
        #expect(entry.responses.allSatisfy { $0.fields["vary"] == "Accept-Language" && $0.status == 200 })
        let failure = try #require(store.keptFailures(limit: 10).first)
        #expect(failure.identity.hasSuffix("/missing.png") && failure.kind == .missing)
        #expect(store.count(.tags(["blue"])).variants == 2 && store.count(.tags(["green"])).originals == 1)
        // A new watermark invalidates only variants made with the old one.
        var mark = try #require(old.pictures.first { $0.record.url.hasSuffix("mark.png") }?.record)
        let body = CacheFixture.bytes(10)
        (mark.digest, mark.length) = (CacheKey(hashing: body), body.count)
        mark.freshness.responseTime += 1
        store.store(origin: mark, body: try CacheFixture.body(body))
        store.flush()
        for variant in old.variants {
            #expect((store.variant(variant.key) == nil) == !variant.auxiliaries.isEmpty)
        }
        store.close()
    }

    @Test func `rebuilds a lost index from the previous release's files`() throws {
        try SystemFiles().remove(path + "/index.sqlite")
        let store = try open()
        store.reconcile()
        store.flush()
        #expect(store.statistics.adoptions == 11)
        for (expected, _) in old.pictures {
            var found = try #require(store.origin(expected.key))
            #expect(found.file != nil && found.record.freshness.lifetime == 0)
            // A file is as old as its body: it may be older than the placeholder.
            found.record.freshness = expected.freshness
            found.record.placeholder = expected.placeholder
            #expect(found.record == expected)
        }
        for expected in old.variants { #expect(store.variant(expected.key)?.record == expected) }
        #expect(try #require(store.raw(old.raw.key)).record.metadata.isEmpty)
        store.close()
    }

    @Test func `a stand-in of the previous release remains one`() throws {
        let key = old.variants[0].key
        do {
            var index = try SQLiteConnection(path: path + "/index.sqlite", access: .readWrite)
            try index.run("UPDATE variants SET stand_in = 1 WHERE key = ?1", [.key(key)])
        }
        let store = try open()
        #expect(store.variant(key)?.record.isStandIn == true)
        #expect(store.variant(old.variants[1].key)?.record.isStandIn == false)
        store.close()
    }

    @Test func `an interrupted migration leaves the folder unchanged`() throws {
        let copy = folder.path + "/cut"
        do {
            var index = try SQLiteConnection(path: path + "/index.sqlite", access: .readWrite)
            // A cache of one page, so that uncommitted changes reach the log.
            try index.execute("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try DiskIndex.moveRecords(&index)
            try CacheFixture.copyTree(path, to: copy)
            try index.execute("ROLLBACK")
            #expect(try index.schemaVersion() == 10)
        }
        let log = try SystemFiles().open(copy + "/index.sqlite-wal", flags: 0)
        #expect(try SystemFiles().size(of: log) > 0)
        for path in [path, copy] {
            let store = try DiskStore.forTest(path) { $0.isReadable = PictureMetadata.isReadable }
            for (expected, _) in old.pictures { #expect(store.origin(expected.key)?.record == expected) }
            for expected in old.variants { #expect(store.variant(expected.key)?.record == expected) }
            store.close()
        }
    }

    @Test func `drops mezzanines that the layouts before stored as originals`() throws {
        func mezzanine(_ number: Int, of origin: OriginRecord) throws -> (record: OriginRecord, body: OriginBody) {
            let body = CacheFixture.bytes(100 + number)
            var record = CacheFixture.origin(number, body: body)
            record.entityTag = origin.digest.description
            record.metadata = origin.metadata
            return (record, try CacheFixture.body(body))
        }
        let kept = old.pictures.map(\.record)
        let first = try mezzanine(1, of: kept[0])
        let second = try mezzanine(2, of: kept[1])
        let path = DiskFolder(path: path).index
        do {
            // Layout 11 from the release before, with two mezzanines, of which one was migrated from layout 10.
            let store = try open()
            for (record, body) in [first, second] { store.store(origin: record, body: body) }
            store.flush()
            store.close()
            var index = try SQLiteConnection(path: path, access: .readWrite)
            var fields = TaggedFields()
            try #require(
                TaggedFields.forEach(in: second.record.encoded[...]) { tag, value in
                    if tag != 24 { fields.put(tag, value) }
                    return true
                }
            )
            fields.put(12, second.record.entityTag)
            try index.run(
                "UPDATE origins SET record = ?2 WHERE key = ?1",
                [.key(second.record.key), .blob(fields.bytes)]
            )
            try index.execute(CacheFixture.undoNamespaces + "PRAGMA user_version = 11")
        }
        let store = try open()
        for record in [first.record, second.record] { #expect(store.origin(record.key) == nil) }
        for record in kept { #expect(store.origin(record.key)?.record == record) }
        #expect(store.statistics.originals.entries == 5 && store.statistics.variants.entries == 6)
        let bodies = old.pictures.filter(\.hasBody).reduce(0) { $0 + $1.record.length }
        #expect(store.statistics.originals.bytes >= bodies)
        // Their files have no rows any more.
        store.reconcile()
        store.flush()
        #expect(store.statistics.originals.entries == 5)
        store.close()
        #expect(try DiskCheck(path: self.path, listener: .init(found: { _, _ in })).run(repairs: false).isSound)
    }

    @Test func `an image with unknown metadata is a miss`() throws {
        let store = try open()
        var origin = try #require(old.pictures.first?.record)
        var metadata = TaggedFields()
        metadata.put(6, 99)
        origin.metadata = metadata.bytes
        origin.freshness.responseTime += 1
        store.store(origin: origin, body: nil)
        store.flush()
        #expect(store.origin(origin.key) == nil)
        store.close()
    }
}

/// A copy of the sample, and the content of its index in the columns of layout 10.
struct OldFolder {
    var pictures: [(record: OriginRecord, hasBody: Bool)] = []
    var raw: (key: CacheKey, freshness: Freshness)
    var variants: [VariantRecord] = []

    init(copiedTo path: String) throws {
        try CacheFixture.copyTree(CacheFixture.oldFolder, to: path)
        var index = try SQLiteConnection(path: path + "/index.sqlite", access: .immutable)
        #expect(try index.schemaVersion() == 10)
        let rows = try index.all("SELECT * FROM (\(Self.origins)) WHERE kind = 0", [], Self.origin)
        pictures = rows.compactMap(\.self)
        let raw = try index.first("SELECT * FROM (\(Self.origins)) WHERE kind = 1") { row in
            row.key(0).map { ($0, Self.freshness(row)) }
        }
        self.raw = try #require(raw ?? nil)
        variants = try index.all(Self.variantRows, [], Self.variant).compactMap(\.self)
    }

    private static let origins = """
        SELECT key, source, url, digest, length, format, width, height, frames, orientation, has_alpha, entity_tag, \
        last_modified, cache_control, client_cache_control, response_time, initial_age, lifetime, advertised_lifetime, \
        tags, placeholder, has_body, kind FROM origins ORDER BY id
        """

    private static func origin(_ row: SQLiteStatement) -> (record: OriginRecord, hasBody: Bool)? {
        guard let key = row.key(0), let digest = row.key(3),
            let format = ImageFormat(rawValue: UInt8(row.integer(5)))
        else { return nil }
        let record = OriginRecord(
            key: key,
            source: row.text(1) ?? "",
            url: row.text(2) ?? "",
            digest: digest,
            length: Int(row.integer(4)),
            header: ImageHeader(
                format: format,
                width: Int(row.integer(6)),
                height: Int(row.integer(7)),
                frames: Int(row.integer(8)),
                orientation: Int(row.integer(9)),
                hasAlpha: row.isNull(10) ? nil : row.integer(10) == 1
            ),
            entityTag: row.text(11),
            lastModified: row.text(12),
            cacheControl: row.text(13),
            clientCacheControl: row.text(14),
            freshness: freshness(row),
            advertisedLifetime: row.integer(18),
            tags: DiskIndex.words(row.text(19)),
            placeholder: row.text(20).flatMap { Placeholder(text: Array($0.utf8)) }
        )
        return (record, row.integer(21) == 1)
    }

    private static func freshness(_ row: SQLiteStatement) -> Freshness {
        Freshness(responseTime: row.integer(15), initialAge: row.integer(16), lifetime: row.integer(17))
    }

    private static let variantRows = """
        SELECT v.key, o.key, v.origin_digest, v.plan, v.presets, v.format, v.width, v.height, v.frames, v.length, v.digest, \
        v.ingredients FROM variants v JOIN origins o ON o.id = v.origin ORDER BY v.id
        """

    private static func variant(_ row: SQLiteStatement) -> VariantRecord? {
        guard let key = row.key(0), let origin = row.key(1), let originDigest = row.key(2), let digest = row.key(10),
            let format = ResultFormat(rawValue: UInt8(row.integer(5)))
        else { return nil }
        var record = VariantRecord(
            key: key,
            origin: origin,
            originDigest: originDigest,
            plan: row.text(3) ?? "",
            presets: DiskIndex.words(row.text(4)),
            format: format,
            width: Int(row.integer(6)),
            height: Int(row.integer(7)),
            frames: Int(row.integer(8)),
            length: Int(row.integer(9)),
            digest: digest
        )
        let auxiliary = row.blob(11)
        if let key = CacheKey(bytes: Array(auxiliary.prefix(32))),
            let digest = CacheKey(bytes: Array(auxiliary.suffix(32)))
        {
            record.auxiliaries = [VariantRecord.Auxiliary(key: key, digest: digest)]
        }
        return record
    }

    /// Adds rows without files to an index of layout 10: a quarter originals, three variants each.
    static func fill(_ path: String, rows: Int) throws {
        let index = try SQLiteConnection(path: path, access: .readWrite)
        try index.execute(
            """
            PRAGMA synchronous = OFF;
            CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows / 4))
            SELECT i FROM n;
            INSERT INTO origins (id, key, source, url, digest, length, format, width, height, frames, orientation, has_alpha,
            entity_tag, last_modified, cache_control, response_time, initial_age, lifetime, advertised_lifetime, has_body,
            used, accessed_at, trailer, tags, kind, for_seed)
            SELECT 1000 + i, randomblob(32), 'pictures', 'https://photos.example.com/folder/' || i || '.jpg', randomblob(32),
            100000, 1, 4000, 3000, 1, 1, 0, '"' || hex(randomblob(16)) || '"', 'Sun, 06 Nov 1994 08:49:37 GMT',
            'public, max-age=3600', 1795336819, 0, 3600, 3600, 1, i, 1795336819, 400, 'all t' || (i % 100), 0, 0
            FROM numbers;
            INSERT INTO variants (key, origin, origin_digest, plan, format, width, height, frames, length, digest, used,
            accessed_at, trailer, presets)
            SELECT randomblob(32), 1000 + (i - 1) % \(rows / 4) + 1, randomblob(32), '1?w=' || (i % 10) || '&format=webp', 4, 400, 300,
            1, 20000, randomblob(32), i, 1795336819, 700, 'thumb'
            FROM (SELECT i FROM numbers UNION ALL SELECT i FROM numbers UNION ALL SELECT i FROM numbers);
            """
        )
    }
}
