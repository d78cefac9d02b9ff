import LinuxSystem

/// A pool of read-only connections to the index: one per concurrent reader, so that no read waits for another or for the writer.
final class DiskReaderPool: Sendable {
    private final class Reader: Sendable {
        let index: Lock<DiskIndex>
        let generation: Int

        init(path: String, isAtRest: Bool, generation: Int) throws(SQLiteError) {
            index = Lock(try isAtRest ? DiskIndex.checking(path, isAtRest: true) : DiskIndex.reading(path))
            self.generation = generation
        }
    }

    private struct State: Sendable {
        /// `nil` while no index is open for writing.
        var generation: Int?
        var last = 0
        var idle: [Reader] = []
    }

    private let path: String
    private let isAtRest: Bool
    private let state = Lock(State())

    /// Creates an empty pool for an index file; reads miss until it is opened.
    ///
    /// - Parameter isAtRest: whether no process writes the file.
    init(path: String, isAtRest: Bool = false) {
        self.path = path
        self.isAtRest = isAtRest
    }

    /// Starts a new generation after the writer has opened an index; connections to an earlier one are not reused.
    func open() {
        change { state in
            state.last += 1
            state.generation = state.last
        }
    }

    /// Stops new reads; reads in progress finish.
    func close() {
        change { $0.generation = nil }
    }

    /// The error of a failed read, and the generation of the index that it read.
    struct Failure: Error {
        var error: SQLiteError
        var generation: Int
    }

    /// Whether a generation is the current one.
    func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

    /// Reads the index on the calling thread.
    ///
    /// - Returns: what `body` returns; `nil` when there is no index to read.
    func read<Result: Sendable>(
        _ body: (inout DiskIndex) throws(SQLiteError) -> Result?
    ) throws(Failure) -> Result? {
        let (idle, generation) = state.withLock { ($0.idle.popLast(), $0.generation) }
        guard let generation else { return nil }
        do throws(SQLiteError) {
            let reader =
                if let idle { idle } else { try Reader(path: path, isAtRest: isAtRest, generation: generation) }
            let result = try reader.index.withLock { index throws(SQLiteError) in try body(&index) }
            // A connection is not reused after an error.
            give(back: reader)
            return result
        } catch {
            throw Failure(error: error, generation: generation)
        }
    }

    private func give(back reader: Reader) {
        state.withLock { state in
            guard reader.generation == state.generation else { return }
            state.idle.append(reader)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        // The connections close here, outside the lock.
        let idle = state.withLock { state in
            body(&state)
            let idle = state.idle
            state.idle = []
            return idle
        }
        _ = idle.count
    }
}
