import CSQLite

/// A prepared statement, finalised with its last reference; confined to its connection's user.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    /// The statement's text, for errors.
    let sql: String

    /// Takes ownership of a prepared statement.
    init(owning handle: OpaquePointer, sql: String) {
        unsafe self.handle = unsafe handle
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Binds all parameters, in order.
    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let code =
                switch value {
                case .null: unsafe sqlite3_bind_null(handle, index)
                case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
                case .text(let text): bind(text, at: index)
                case .blob(let bytes): bind(bytes, at: index)
                }
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    /// Runs to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(code)
        }
    }

    /// Makes the statement ready to run again, and ends the read that it held open.
    func reset() {
        // Returns the code of the last step, which was thrown already.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Whether the row's column is NULL.
    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The row's column as an integer; 0 for NULL.
    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// The largest number of entries or bytes that is read.
    static let largestCount: Int64 = 1 << 50

    /// The row's column as a number of entries or bytes; 0 for one that no cache can have, so that no sum of a damaged index overflows.
    func count(_ column: Int32) -> Int {
        let number = integer(column)
        return (0...Self.largestCount).contains(number) ? Int(number) : 0
    }

    /// The row's column as text; `nil` for NULL.
    func text(_ column: Int32) -> String? {
        guard !isNull(column), let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// The row's column as bytes; empty for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The row's column as a digest; `nil` when it does not have 32 bytes.
    func key(_ column: Int32) -> CacheKey? { CacheKey(bytes: blob(column)) }

    /// The row's column in its storage type.
    func value(_ column: Int32) -> SQLiteValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            // An empty buffer may have no address, which would bind NULL.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return unsafe edge_sqlite3_bind_text(handle, index, "", 0)
            }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
                unsafe edge_sqlite3_bind_text(handle, index, start, Int32(bytes.count))
            }
        }
    }

    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe edge_sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
        }
    }

    private func error(_ code: Int32) -> SQLiteError {
        let connection = unsafe sqlite3_db_handle(handle)
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "unknown"
        return SQLiteError(code: code, message: message, sql: sql)
    }
}

/// A value to bind to a statement's parameter.
enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// Binds an integer of the machine's size.
    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }

    /// Binds a digest as its 32 bytes.
    static func key(_ key: CacheKey) -> SQLiteValue { .blob(key.bytes) }

    /// Binds a text that may be absent.
    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
}
