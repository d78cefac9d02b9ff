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

    /// Applies those that are missing, each in a transaction of its own.
    ///
    /// A version above the last one is left alone: the caller has refused it before.
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
