import CSQLite

/// One connection to a database file with its prepared statements; one thread at a time may use it.
///
/// Own code: the wrapper is some 280 lines, with typed errors and statements that do not escape their use. GRDB would replace
/// it, but brings observation, record types and a connection pool that the index does not use. It would pay once the index
/// needs queries composed at run time.
@safe struct SQLiteConnection: ~Copyable {
    /// How a connection may use its file.
    enum Access {
        case readOnly
        case readWrite
        /// Reads a file that no process changes, without locks or a log.
        case immutable
    }

    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a file; creates it if writing is allowed.
    ///
    /// - Parameter busyMilliseconds: how long a statement waits for another connection's lock.
    init(path: String, access: Access, busyMilliseconds: Int32 = 2000) throws(SQLiteError) {
        let flags =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened = unsafe opened else {
            throw SQLiteError(code: code, message: "out of memory", sql: "open")
        }
        guard code == SQLITE_OK else {
            let message = unsafe String(cString: sqlite3_errmsg(opened))
            unsafe sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message, sql: "open")
        }
        unsafe sqlite3_busy_timeout(opened, busyMilliseconds)
        unsafe handle = unsafe opened
    }

    /// Copies the database into a temporary one, which only the returned connection sees and which ends with it.
    ///
    /// SQLite keeps it in a file without a name, in the folder for temporary files, so that memory stays bounded.
    borrowing func copied() throws(SQLiteError) -> SQLiteConnection {
        let copy = try SQLiteConnection(path: "", access: .readWrite)
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(unsafe sqlite3_errcode(copy.handle), "copy")
        }
        let step = unsafe sqlite3_backup_step(backup, -1)
        let code = unsafe sqlite3_backup_finish(backup)
        // A database in use is no failure to SQLite, since the step can be repeated.
        guard step == SQLITE_DONE, code == SQLITE_OK else {
            throw copy.error(step == SQLITE_DONE ? code : step, "copy")
        }
        return copy
    }

    /// A path escaped for SQLite's URI file names.
    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    deinit {
        // _v2 defers the close until the statements are finalised.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters or rows.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
    }

    /// Runs a statement to its end.
    ///
    /// - Returns: the rows that it changed.
    @discardableResult
    mutating func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return Int(unsafe sqlite3_changes64(handle))
    }

    /// Runs a query and reads its first row; `nil` without one.
    mutating func first<Result>(
        _ sql: String,
        _ values: [SQLiteValue] = [],
        _ read: (SQLiteStatement) -> Result
    ) throws(SQLiteError) -> Result? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? read(statement) : nil
    }

    /// Runs a query and reads all its rows; the query bounds their number.
    mutating func all<Result>(
        _ sql: String,
        _ values: [SQLiteValue] = [],
        _ read: (SQLiteStatement) -> Result
    ) throws(SQLiteError) -> [Result] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var rows: [Result] = []
        while try statement.step() { rows.append(read(statement)) }
        return rows
    }

    /// The row number of the last insertion.
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open; an error may have ended it already.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    private mutating func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw error(code, sql) }
        let statement = unsafe SQLiteStatement(owning: prepared, sql: sql)
        statements[sql] = statement
        return statement
    }

    private func error(_ code: Int32, _ sql: String) -> SQLiteError {
        let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "unknown"
        return SQLiteError(code: code, message: message, sql: sql)
    }
}

/// One step from a schema to the next.
enum SQLiteMigration: Sendable, ExpressibleByStringLiteral {
    case sql(String)
    /// Runs within the migration's transaction.
    case code(@Sendable (inout SQLiteConnection) throws(SQLiteError) -> Void)

    init(stringLiteral sql: String) { self = .sql(sql) }
}

/// Numbered migrations on `user_version`: number n takes a database from version n to n + 1.
extension SQLiteConnection {
    /// The schema's version as stored; 0 in a new file.
    mutating func schemaVersion() throws(SQLiteError) -> Int {
        try first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
    }

    /// Applies the missing migrations, each in its own transaction.
    ///
    /// Does nothing for a version above the last, which callers refuse.
    mutating func migrate(_ migrations: [SQLiteMigration]) throws(SQLiteError) {
        let version = try schemaVersion()
        for number in migrations.indices where number >= version {
            try execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                switch migrations[number] {
                case .sql(let sql): try execute(sql)
                case .code(let run): try run(&self)
                }
                try execute("PRAGMA user_version = \(number + 1)")
                try execute("COMMIT")
            } catch {
                if isInTransaction { try? execute("ROLLBACK") }
                throw error
            }
        }
    }
}

/// A failed SQLite call: the extended result code, SQLite's message, and the statement.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// SQLite's message.
    let message: String
    /// The statement, or the call, that failed.
    let sql: String

    /// An error that represents damage reported by a reader.
    static let damaged = SQLiteError(code: SQLITE_CORRUPT, message: "a reader found damage", sql: "")

    /// An error that represents a missing table, index or trigger.
    static let incomplete = SQLiteError(
        code: SQLITE_CORRUPT,
        message: "lacks a table, an index or a trigger of its layout",
        sql: ""
    )

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// Whether the file is not an SQLite database, or a damaged one; retrying cannot help.
    var isCorruption: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether a statement does not fit the tables.
    ///
    /// When an index is opened or migrated, whose statements are always the same, the tables are not those of its layout.
    var isMismatch: Bool { primaryCode == SQLITE_ERROR }

    var description: String { "SQLite \(code): \(message) (\(sql.prefix(80)))" }
}
