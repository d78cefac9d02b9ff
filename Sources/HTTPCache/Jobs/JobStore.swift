import CLinux
import Glibc

/// Lists of texts to work through, in a SQLite database of their own, so that a job continues after a restart.
///
/// A killed process loses nothing that a call has returned for; a power cut may lose the last calls, as for the index of the
/// cache. Confined to one thread.
package final class JobStore {
    /// The progress of an item; the raw values are those on disk.
    package enum ItemState: Int, Sendable {
        case waiting = 0
        /// Work has begun; after a restart it begins again.
        case started = 1
        case done = 2
        /// There was nothing to do.
        case skipped = 3
        case failed = 4
    }

    /// The state of a job; the raw values are those on disk.
    package enum JobState: Int, Sendable {
        case running = 0
        case done = 1
        case cancelled = 2
    }

    /// A job with its counts.
    package struct Job: Sendable, Hashable {
        package var id: Int64
        package var state: JobState
        /// Seconds since 1970.
        package var created: Int64
        /// Seconds since 1970; `nil` while it runs.
        package var ended: Int64?
        package var total: Int
        package var done = 0
        package var skipped = 0
        package var failed = 0

        /// Items that have ended.
        package var finished: Int { done + skipped + failed }
    }

    /// An item of a job.
    package struct Item: Sendable, Hashable {
        /// The place in the job, from 0.
        package var number: Int
        package var text: String
        /// Whether work had begun before the process was restarted.
        package var wasStarted: Bool
    }

    /// A failed SQLite call.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The failed items that are kept when a job ends.
    package static let keptFailures = 100
    /// The longest reason that is stored with a failed item, in bytes.
    private static let longestReason = 500

    private var connection: SQLiteConnection

    /// Opens the jobs of a cache folder; creates them if there are none, and replaces a damaged database.
    ///
    /// - Parameter folder: the folder; `nil` or empty keeps the jobs in memory, for the life of the process.
    package init(folder: String?) throws(Failure) {
        let path = folder.flatMap { $0.isEmpty ? nil : "\($0)/\(DiskFolder.jobs)" }
        do throws(SQLiteError) {
            connection = try Self.open(path)
        } catch {
            guard let path, error.isCorruption else { throw Failure(description: "\(error)") }
            for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
            do throws(SQLiteError) { connection = try Self.open(path) } catch {
                throw Failure(description: "\(error)")
            }
        }
    }

    private static func open(_ path: String?) throws(SQLiteError) -> SQLiteConnection {
        if let path {
            // Created here, so that only the owner can read it; SQLite's other files inherit its mode.
            let created = unsafe edge_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if created >= 0 { close(created) }
        }
        var connection = try SQLiteConnection(path: path ?? ":memory:", access: .readWrite)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
        try connection.migrate(migrations)
        return connection
    }

    private static let migrations: [SQLiteMigration] = [
        """
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            state INTEGER NOT NULL,
            created INTEGER NOT NULL,
            ended INTEGER,
            total INTEGER NOT NULL,
            done INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE items (
            job INTEGER NOT NULL,
            number INTEGER NOT NULL,
            text TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            reason TEXT,
            PRIMARY KEY (job, number)
        ) WITHOUT ROWID;
        """
    ]
}

extension JobStore {
    /// All jobs, the oldest first.
    package func jobs() throws(Failure) -> [Job] {
        var jobs = try attempt { connection throws(SQLiteError) in
            try connection.all("SELECT id, state, created, ended, total, done, skipped, failed FROM jobs ORDER BY id") {
                Job(
                    id: $0.integer(0),
                    state: JobState(rawValue: Int($0.integer(1))) ?? .cancelled,
                    created: $0.integer(2),
                    ended: $0.isNull(3) ? nil : $0.integer(3),
                    total: Int($0.integer(4)),
                    done: Int($0.integer(5)),
                    skipped: Int($0.integer(6)),
                    failed: Int($0.integer(7))
                )
            }
        }
        // The counts of a running job are those of its items, which are stored one by one.
        for index in jobs.indices where jobs[index].state == .running { try count(&jobs[index]) }
        return jobs
    }

    private func count(_ job: inout Job) throws(Failure) {
        let id = job.id
        let counts = try attempt { connection throws(SQLiteError) in
            try connection.all("SELECT state, count(*) FROM items WHERE job = ?1 GROUP BY state", [.integer(id)]) {
                (ItemState(rawValue: Int($0.integer(0))), Int($0.integer(1)))
            }
        }
        for (state, count) in counts {
            switch state {
            case .done: job.done = count
            case .skipped: job.skipped = count
            case .failed: job.failed = count
            case .waiting, .started, nil: break
            }
        }
    }

    /// Stores a new job with its items.
    package func add(_ items: [String], at now: Int64) throws(Failure) -> Job {
        try transaction { connection throws(SQLiteError) in
            try connection.run(
                "INSERT INTO jobs (state, created, total) VALUES (0, ?1, ?2)",
                [.integer(now), .integer(items.count)]
            )
            let id = connection.lastInsertedRow
            for (number, text) in items.enumerated() {
                try connection.run(
                    "INSERT INTO items (job, number, text) VALUES (?1, ?2, ?3)",
                    [.integer(id), .integer(number), .text(text)]
                )
            }
            return Job(id: id, state: .running, created: now, ended: nil, total: items.count)
        }
    }

    /// The items of a job that have not ended, in order.
    ///
    /// - Parameters:
    ///   - number: only items after this number.
    ///   - limit: the maximum number of items.
    package func open(_ job: Int64, after number: Int, limit: Int) throws(Failure) -> [Item] {
        try attempt { connection throws(SQLiteError) in
            try connection.all(
                """
                SELECT number, text, state FROM items WHERE job = ?1 AND number > ?2 AND state <= 1 \
                ORDER BY number LIMIT ?3
                """,
                [.integer(job), .integer(number), .integer(limit)]
            ) { Item(number: Int($0.integer(0)), text: $0.text(1) ?? "", wasStarted: $0.integer(2) == 1) }
        }
    }

    /// Stores the progress of an item.
    ///
    /// - Parameter reason: why it failed.
    package func set(_ state: ItemState, of number: Int, in job: Int64, reason: String? = nil) throws(Failure) {
        try attempt { connection throws(SQLiteError) in
            _ = try connection.run(
                "UPDATE items SET state = ?3, reason = ?4 WHERE job = ?1 AND number = ?2",
                [
                    .integer(job), .integer(number), .integer(state.rawValue),
                    .text(reason.map { String(decoding: $0.utf8.prefix(Self.longestReason), as: UTF8.self) }),
                ]
            )
        }
    }

    /// Stores that a job has ended, with its counts, and deletes its items except the first failed ones.
    package func end(_ job: Job) throws(Failure) {
        try transaction { connection throws(SQLiteError) in
            try connection.run(
                "UPDATE jobs SET state = ?2, ended = ?3, done = ?4, skipped = ?5, failed = ?6 WHERE id = ?1",
                [
                    .integer(job.id), .integer(job.state.rawValue), job.ended.map { .integer($0) } ?? .null,
                    .integer(job.done), .integer(job.skipped), .integer(job.failed),
                ]
            )
            try connection.run(
                """
                DELETE FROM items WHERE job = ?1 AND number NOT IN \
                (SELECT number FROM items WHERE job = ?1 AND state = 4 ORDER BY number LIMIT ?2)
                """,
                [.integer(job.id), .integer(Self.keptFailures)]
            )
        }
    }

    /// Deletes a job.
    package func remove(_ job: Int64) throws(Failure) {
        try transaction { connection throws(SQLiteError) in
            try connection.run("DELETE FROM items WHERE job = ?1", [.integer(job)])
            try connection.run("DELETE FROM jobs WHERE id = ?1", [.integer(job)])
        }
    }

    /// The first failed items of a job, with their reasons.
    ///
    /// - Parameter limit: the maximum number of items.
    package func failures(of job: Int64, limit: Int) throws(Failure) -> [(text: String, reason: String)] {
        try attempt { connection throws(SQLiteError) in
            try connection.all(
                "SELECT text, reason FROM items WHERE job = ?1 AND state = 4 ORDER BY number LIMIT ?2",
                [.integer(job), .integer(limit)]
            ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
        }
    }

    private func attempt<Result>(
        _ body: (inout SQLiteConnection) throws(SQLiteError) -> Result
    ) throws(Failure) -> Result {
        do throws(SQLiteError) { return try body(&connection) } catch { throw Failure(description: "\(error)") }
    }

    private func transaction<Result>(
        _ body: (inout SQLiteConnection) throws(SQLiteError) -> Result
    ) throws(Failure) -> Result {
        try attempt { connection throws(SQLiteError) in
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                let result = try body(&connection)
                try connection.execute("COMMIT")
                return result
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }
}
