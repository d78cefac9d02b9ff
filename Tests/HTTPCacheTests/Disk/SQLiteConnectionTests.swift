import CacheTestSupport
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct SQLiteConnectionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `round-trips every kind of value`() throws {
        var connection = try SQLiteConnection(path: folder.path + "/a.sqlite", access: .readWrite)
        try connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, number, text, blob)")
        let rows: [(Int64, String?, [UInt8])] = [
            (.min, "", []), (.max, "grün\u{0}🖼", [0, 1, 255]), (-1, nil, CacheFixture.bytes(5000)),
        ]
        for (number, text, blob) in rows {
            try connection.run(
                "INSERT INTO things (number, text, blob) VALUES (?1, ?2, ?3)",
                [.integer(number), .text(text), .blob(blob)]
            )
        }
        let found = try connection.all("SELECT number, text, blob FROM things ORDER BY id") {
            ($0.integer(0), $0.text(1), $0.blob(2))
        }
        #expect(found.count == rows.count)
        for (left, right) in zip(found, rows) { #expect(left == right) }
    }

    @Test func `an error has the statement, the message and the code`() throws {
        var connection = try SQLiteConnection(path: folder.path + "/a.sqlite", access: .readWrite)
        try connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY)")
        try connection.run("INSERT INTO things VALUES (1)")
        let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO things VALUES (1)") }
        #expect(error?.primaryCode == 19)
        #expect(error?.message.contains("things.id") == true)
        #expect(error?.sql == "INSERT INTO things VALUES (1)")
        #expect(throws: SQLiteError.self) { try connection.run("SELECT nonsense") }
        // The statement that failed can be run again.
        #expect(try connection.run("INSERT INTO things VALUES (2)") == 1)
    }

    @Test func `a read-only connection to a missing file fails`() {
        #expect(throws: SQLiteError.self) {
            _ = try SQLiteConnection(path: folder.path + "/none.sqlite", access: .readOnly)
        }
    }

    @Test func `applies each migration once, and rolls a failed one back`() throws {
        let path = folder.path + "/a.sqlite"
        let first = "CREATE TABLE one (id INTEGER)"
        do {
            var connection = try SQLiteConnection(path: path, access: .readWrite)
            try connection.migrate([.sql(first)])
            #expect(try connection.schemaVersion() == 1)
        }
        var connection = try SQLiteConnection(path: path, access: .readWrite)
        let failing = "CREATE TABLE two (id INTEGER); CREATE TABLE one (id INTEGER)"
        #expect(throws: SQLiteError.self) { try connection.migrate([.sql(first), .sql(failing)]) }
        #expect(try connection.schemaVersion() == 1)
        let isInTransaction = connection.isInTransaction
        #expect(!isInTransaction)
        try connection.migrate([.sql(first), "CREATE TABLE two (id INTEGER)"])
        #expect(try connection.schemaVersion() == 2)
    }

    @Test func `recognises a file that is not a database`() throws {
        let path = folder.path + "/a.sqlite"
        try CacheFixture.write(CacheFixture.bytes(10_000), to: path)
        let error = #expect(throws: SQLiteError.self) {
            var connection = try SQLiteConnection(path: path, access: .readWrite)
            _ = try connection.schemaVersion()
        }
        #expect(error?.isCorruption == true)
    }
}
