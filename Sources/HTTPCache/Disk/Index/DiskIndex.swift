import CLinux
import Glibc

/// The disk store's index: rows of originals and variants in one SQLite file.
///
/// Does not touch content files.
///
/// Wraps one connection: the writer's, or a read-only one of a reader. In WAL mode they do not block each other.
struct DiskIndex: ~Copyable {
    /// Why an index cannot be opened.
    enum OpenError: Error {
        case newerVersion(Int)
        case sqlite(SQLiteError)
    }

    var connection: SQLiteConnection

    init(_ connection: consuming SQLiteConnection) {
        self.connection = connection
    }

    /// Opens the index for writing; creates it, or migrates it to the current version.
    static func writing(_ path: String) throws(OpenError) -> DiskIndex {
        let version: Int
        makePrivate(path)
        do throws(SQLiteError) {
            var connection = try SQLiteConnection(path: path, access: .readWrite)
            version = try connection.schemaVersion()
            if version <= migrations.count {
                try prepare(&connection)
                return DiskIndex(connection)
            }
        } catch {
            throw .sqlite(error)
        }
        // Nothing has been written: a newer release's index is not changed.
        throw .newerVersion(version)
    }

    /// Makes the index readable by its owner only; SQLite's other files inherit its mode.
    ///
    /// SQLite would make it world-readable, as in earlier releases. An error here recurs when the file is opened.
    private static func makePrivate(_ path: String) {
        guard path != ":memory:" else { return }
        // Closing a descriptor of an open database would release SQLite's locks, so only a new file is opened.
        let created = unsafe edge_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard created < 0 else {
            close(created)
            return
        }
        for file in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard unsafe lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0
            else {
                continue
            }
            unsafe chmod(file, status.st_mode & 0o700)
        }
    }

    /// Opens the index for reading only; the writer must have it open already.
    static func reading(_ path: String) throws(SQLiteError) -> DiskIndex {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        try connection.execute("PRAGMA cache_size = -1024; PRAGMA query_only = 1")
        return DiskIndex(connection)
    }

    private static func prepare(_ connection: inout SQLiteConnection) throws(SQLiteError) {
        // NORMAL: a power cut may lose the last transactions, never consistency (SQLite, PRAGMA synchronous, WAL mode).
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA journal_size_limit = 67108864;
            PRAGMA cache_size = -4096;
            PRAGMA temp_store = MEMORY;
            """
        )
        try connection.migrate(migrations)
    }

    /// Runs `body` in one write transaction, which is rolled back when it throws.
    mutating func transaction<Result>(
        _ body: (inout DiskIndex) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try begin()
        do throws(SQLiteError) {
            let result = try body(&self)
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Opens a write transaction.
    mutating func begin() throws(SQLiteError) { try connection.run("BEGIN IMMEDIATE") }

    /// Commits the open transaction.
    mutating func commit() throws(SQLiteError) { try connection.run("COMMIT") }

    /// Rolls the open transaction back, if SQLite has not done so.
    mutating func rollback() {
        guard connection.isInTransaction else { return }
        // After a failed rollback, the owner closes the connection anyway.
        _ = try? connection.run("ROLLBACK")
    }
}

extension DiskClass {
    /// The table of the index.
    var table: String { self == .originals ? "origins" : "variants" }
}
