import CSQLite

/// A failed SQLite call: the extended result code, SQLite's message, and what was asked.
struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// SQLite's own words.
    let message: String
    /// The statement, or the call, that failed.
    let sql: String

    /// What a reader's report of damage amounts to.
    static let damaged = SQLiteError(code: SQLITE_CORRUPT, message: "found damaged by a reader", sql: "")

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xFF }

    /// Whether the file is no SQLite database or a damaged one: nothing heals it.
    var isCorruption: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    var description: String { "SQLite \(code): \(message) (\(sql.prefix(80)))" }
}
