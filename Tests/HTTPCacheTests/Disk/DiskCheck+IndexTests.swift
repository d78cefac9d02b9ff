import CacheTestSupport
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

/// Indexes of earlier layouts, indexes that lack something, and rows that cannot be read.
extension DiskCheckTests {
    /// A closed folder with an original and four variants, whose index is changed by SQL.
    private func fill(_ sql: String) throws {
        try fill()
        let index = try SQLiteConnection(path: layout.index, access: .readWrite)
        try index.execute(sql)
    }

    private func index() throws -> [UInt8] {
        try CacheFixture.readAll(SystemFiles().open(layout.index, flags: O_RDONLY))
    }

    private func version() throws -> Int {
        var index = try SQLiteConnection(path: layout.index, access: .readOnly)
        return try index.schemaVersion()
    }

    @Test(arguments: [
        (14, CacheFixture.undoPlaces), (13, CacheFixture.undoNamespaces), (12, CacheFixture.undoSharing),
    ])
    func `checks the index of an earlier layout without migrating it`(_ number: Int, _ undo: String) throws {
        try fill(undo)
        #expect(try version() == number)
        let before = try index()
        let sound = try check()
        #expect(sound.found.isEmpty && sound.result.isSound)
        #expect(sound.result.originals.entries == 1 && sound.result.variants.entries == 4)
        let file = layout.file(.variants, record(1).key, record(1).digest)
        TemporaryFolder.delete(file)
        #expect(try check().found == ["missing " + layout.relative(file)])
        #expect(try index() == before && version() == number, "a report changes nothing")
        let repair = try check(repairs: true)
        #expect(repair.result.isSound && repair.result.variants.entries == 3)
        #expect(try version() == DiskIndex.migrations.count)
        #expect(try check().found.isEmpty)
    }

    @Test(arguments: [
        "DROP TABLE variants", "DROP TABLE totals", "DROP TABLE purge_position", "DROP INDEX origins_by_key",
        "DROP TRIGGER origins_lose_tags", "PRAGMA user_version = 13", "PRAGMA user_version = 0",
    ])
    func `an index without a part of its layout is rebuilt from the files`(sql: String) throws {
        try fill(sql)
        let report = try check()
        #expect(report.found == ["index index.sqlite"] && !report.result.isSound)
        let store = try DiskStore.forTest(folder.path)
        #expect(store.health == .healthy && store.statistics.rebuilds == 1)
        store.reconcile()
        store.flush()
        #expect(store.origin(origin.key) != nil)
        for number in 1...4 { #expect(store.variant(record(number).key) != nil) }
        store.close()
        #expect(try check().found.isEmpty)
    }

    @Test func `a check repairs an index without a table`() throws {
        try fill("DROP TABLE variants")
        let repair = try check(repairs: true)
        #expect(repair.found == ["index index.sqlite"] && repair.result.isSound)
        #expect(repair.result.originals.entries == 1 && repair.result.variants.entries == 4)
        #expect(try check().result.isSound)
    }

    @Test func `an original whose record cannot be read is damage, and is removed with its variants`() throws {
        try fill("UPDATE origins SET record = x'00'")
        let report = try check()
        #expect(report.found == ["row originals row 1"] && !report.result.isSound)
        let repair = try check(repairs: true)
        #expect(repair.found == report.found && repair.result.isSound)
        #expect(repair.result.originals.entries == 0 && repair.result.variants.entries == 0)
        for diskClass in DiskClass.allCases { #expect(CacheFixture.files(diskClass, in: folder.path).isEmpty) }
        #expect(try check().found.isEmpty)
    }

    @Test func `a variant whose record or metadata cannot be read is damage`() throws {
        try fill("UPDATE variants SET record = x'00' WHERE id = 2")
        #expect(try check().found == ["row variants row 2"])
        let repair = try check(repairs: true)
        #expect(repair.result.isSound && repair.result.variants.entries == 3)
        #expect(CacheFixture.files(.variants, in: folder.path).count == 3)
        // As a store does that does not know the metadata.
        let unknown = try check { diskClass, _ in diskClass == .originals }
        #expect(
            unknown.found == ["row variants row 1", "row variants row 3", "row variants row 4"]
                && !unknown.result.isSound
        )
        #expect(try check().result.isSound)
    }
}
