import LinuxSystem

/// What waits for the writer: in order, bounded in count and bytes, and never a reason to block.
final class DiskWriteQueue: Sendable {
    /// What the writer finds.
    enum Next: Sendable {
        /// Work, in order; its bytes count until `finished`.
        case work([DiskWrite])
        /// Nothing but access times, or nothing in time.
        case idle
        /// Closed, and everything taken.
        case closed
    }

    private struct State: Sendable {
        var waiting = RingQueue<DiskWrite>()
        /// Of all that waits or is being written.
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

    /// Appends work.
    ///
    /// Stores are refused over the bounds; an object over the bound by itself is taken when nothing else waits. Removals have
    /// twice the count, so that a burst of stores does not stop them, and what somebody waits for is always taken.
    /// - Returns: whether it will be done.
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

    /// Makes the writer look at what is not in the queue.
    func wake() {
        state.update { $0.isWoken = true }
    }

    /// Takes the next work, blocking until there is some; called by the writer only.
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

    /// Taken work is done.
    func finished(bytes: Int) {
        state.withLock { $0.bytes -= bytes }
    }

    /// Takes no more work.
    func close() {
        state.update(wakingAll: true) { $0.isClosed = true }
    }

    /// The writer's last act.
    func end() {
        state.update(wakingAll: true) { $0.hasEnded = true }
    }

    /// Blocks until the writer has ended.
    func waitForEnd() {
        _ = state.wait { $0.hasEnded ? true : nil }
    }

    /// What waits now: writes, and bytes including those being written.
    var load: (writes: Int, bytes: Int) {
        state.withLock { ($0.waiting.count, $0.bytes) }
    }
}
