import LinuxSystem

/// The writer's queue: ordered, bounded in count and bytes; adding never blocks.
final class DiskWriteQueue: Sendable {
    /// What the writer does next.
    enum Next: Sendable {
        /// Writes, in order; their bytes count until `finished`.
        case work([DiskWrite])
        /// No writes: woken for access times, or timed out.
        case idle
        /// Closed and empty.
        case closed
    }

    private struct State: Sendable {
        var waiting = RingQueue<DiskWrite>()
        /// Bytes waiting or being written.
        var bytes = 0
        var isWoken = false
        var isClosed = false
        var hasEnded = false
    }

    private let maximumBytes: Int
    private let maximumCount: Int
    private let state = Monitor(State())

    /// Creates an empty queue.
    init(maximumBytes: Int, maximumCount: Int) {
        self.maximumBytes = maximumBytes
        self.maximumCount = maximumCount
    }

    /// Appends a write.
    ///
    /// Stores above the bounds are refused; an object larger than the bound is accepted when the queue is empty. Removals have
    /// twice the count, so that a burst of stores does not block them. Writes with waiters are always accepted.
    /// - Returns: whether the write was accepted.
    func submit(_ write: DiskWrite) -> Bool {
        state.update { state in
            guard !state.isClosed else { return false }
            guard state.waiting.count < write.room(in: maximumCount) else { return false }
            let bytes = write.bytes
            guard bytes == 0 || state.bytes == 0 || state.bytes + bytes <= maximumBytes else { return false }
            state.bytes += bytes
            state.waiting.append(write)
            return true
        }
    }

    /// Wakes the writer for pending access times and failures.
    func wake() {
        state.update { $0.isWoken = true }
    }

    /// Takes the next writes, blocking until there are any; called by the writer only.
    func next(maximumCount: Int, maximumBytes: Int, nanoseconds: Int64) -> Next {
        let next: Next? = state.wait(nanoseconds: nanoseconds) { state in
            var batch: [DiskWrite] = []
            var bytes = 0
            while batch.count < maximumCount, bytes < maximumBytes, let write = state.waiting.popFirst() {
                bytes += write.bytes
                batch.append(write)
            }
            if !batch.isEmpty { return .work(batch) }
            if state.isClosed { return .closed }
            guard state.isWoken else { return nil }
            state.isWoken = false
            return .idle
        }
        return next ?? .idle
    }

    /// Releases the bytes of finished writes.
    func finished(bytes: Int) {
        state.withLock { $0.bytes -= bytes }
    }

    /// Closes the queue to further writes.
    func close() {
        state.update(wakingAll: true) { $0.isClosed = true }
    }

    /// Called by the writer when it ends.
    func end() {
        state.update(wakingAll: true) { $0.hasEnded = true }
    }

    /// Blocks until the writer has ended.
    func waitForEnd() {
        _ = state.wait { $0.hasEnded ? true : nil }
    }

    /// The writes waiting, and the bytes waiting or being written.
    var load: (writes: Int, bytes: Int) {
        state.withLock { ($0.waiting.count, $0.bytes) }
    }
}
