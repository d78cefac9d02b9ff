import CLinux
import Glibc

/// The disk store's index: rows of originals and variants in one SQLite file; knows no content files.
///
/// One connection: the writer has one that writes, each read a read-only one (WAL lets them run beside each other).
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

    /// Opens the index for writing: makes it, or brings it to the current version.
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
        // Before anything is written: a newer release's folder stays as it is.
        throw .newerVersion(version)
    }

    /// Makes the index readable by its owner only, and so SQLite's files beside it, which take their mode from it.
    ///
    /// SQLite would make it readable by everybody; earlier releases let it. What fails here fails when it is opened, too.
    private static func makePrivate(_ path: String) {
        guard path != ":memory:" else { return }
        // Closing a descriptor of an index that is open would end SQLite's locks on it: a new one only is opened.
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

    /// Gives the open transaction up, if SQLite has not done so.
    mutating func rollback() {
        guard connection.isInTransaction else { return }
        // A failed rollback leaves a connection that its owner closes anyway.
        _ = try? connection.run("ROLLBACK")
    }
}
