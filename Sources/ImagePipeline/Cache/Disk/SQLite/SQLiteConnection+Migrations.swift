/// Numbered migrations on `user_version`: number n takes a database from version n to n + 1.
extension SQLiteConnection {
    /// The schema's version as stored; 0 in a new file.
    mutating func schemaVersion() throws(SQLiteError) -> Int {
        try first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
    }

    /// Applies those that are missing, each in a transaction of its own.
    ///
    /// A version above the last one is left alone: the caller has refused it before.
    mutating func migrate(_ migrations: [String]) throws(SQLiteError) {
        let version = try schemaVersion()
        for number in migrations.indices where number >= version {
            try execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                try execute(migrations[number])
                try execute("PRAGMA user_version = \(number + 1)")
                try execute("COMMIT")
            } catch {
                if isInTransaction { try? execute("ROLLBACK") }
                throw error
            }
        }
    }
}
