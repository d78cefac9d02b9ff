/// Runs closures after a delay, in the order in which they are due.
///
/// Its thread exists while closures wait, and for some seconds longer. Any thread.
package final class DelayLine: Sendable {
    private struct Entry: Sendable {
        var id: UInt64
        var due: Int64
        var work: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// The next one is last.
        var entries: [Entry] = []
        var isRunning = false
        var lastID: UInt64 = 0
    }

    /// Nanoseconds for which the thread waits for another closure.
    private static let idle: Int64 = 10_000_000_000

    private let time: any TimeSource
    private let state = Monitor(State())

    /// Creates a line without a thread.
    package init(time: any TimeSource = SystemTime()) {
        self.time = time
    }

    /// Runs a closure, which must not block, after a delay in nanoseconds; false if there is no thread to run it.
    package func run(after delay: Int64, _ work: @escaping @Sendable () -> Void) -> Bool {
        let due = time.monotonic + delay
        let (id, starts) = state.update { state -> (UInt64, Bool) in
            state.lastID += 1
            let entry = Entry(id: state.lastID, due: due, work: work)
            // Most are due last, which is the front.
            let place = state.entries.firstIndex { $0.due <= entry.due } ?? state.entries.endIndex
            state.entries.insert(entry, at: place)
            defer { state.isRunning = true }
            return (entry.id, !state.isRunning)
        }
        guard starts else { return true }
        do throws(Errno) {
            try SystemThread.start(name: "delays") { [self] in run() }
            return true
        } catch {
            state.withLock { state in
                // The others wait for the next call, which tries to start a thread again.
                state.entries.removeAll { $0.id == id }
                state.isRunning = false
            }
            return false
        }
    }

    private func run() {
        while true {
            let now = time.monotonic
            let next = state.withLock { $0.entries.last?.due }
            let wait = next.map { max(1, $0 - now) } ?? Self.idle
            let due: [@Sendable () -> Void]? = state.wait(nanoseconds: wait) { [time] state in
                var due: [@Sendable () -> Void] = []
                let now = time.monotonic
                while let last = state.entries.last, last.due <= now {
                    state.entries.removeLast()
                    due.append(last.work)
                }
                // A closure that is due earlier than the one waited for.
                return due.isEmpty && state.entries.last?.due == next ? nil : due
            }
            for work in due ?? [] { work() }
            let isOver =
                due == nil
                && state.withLock { state in
                    guard state.entries.isEmpty else { return false }
                    state.isRunning = false
                    return true
                }
            if isOver { return }
        }
    }
}
