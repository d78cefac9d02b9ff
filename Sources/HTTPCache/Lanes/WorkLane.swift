package import LinuxSystem

/// A bounded queue with a few threads of its own, for work that blocks: file and index reads.
///
/// Work runs in the order it came, on any of the lane's threads; what is in the lane never delays another lane.
package final class WorkLane: Sendable {
    /// The shape of a lane.
    package struct Configuration: Sendable {
        /// The threads' name, of which 13 bytes are kept.
        package var name: String
        /// Threads, at least 1.
        package var threads: Int
        /// The most pieces of work that wait, those that run not counted.
        package var capacity: Int

        /// Describes a lane.
        package init(name: String, threads: Int = 2, capacity: Int = 4096) {
            self.name = name
            self.threads = max(1, threads)
            self.capacity = max(1, capacity)
        }
    }

    private struct State: Sendable {
        var waiting = RingQueue<@Sendable () -> Void>()
        var running = 0
        var isStopping = false
    }

    private let configuration: Configuration
    private let state = Monitor(State())

    /// Starts the lane's threads.
    ///
    /// - Throws: `Errno` when the system refuses a thread; those that had started end again.
    package init(_ configuration: Configuration) throws(Errno) {
        self.configuration = configuration
        for number in 0..<configuration.threads {
            state.withLock { $0.running += 1 }
            do throws(Errno) {
                let state = state
                try SystemThread.start(name: "\(configuration.name.prefix(13))-\(number)") { Self.run(state) }
            } catch {
                state.update(wakingAll: true) {
                    $0.running -= 1
                    $0.isStopping = true
                }
                throw error
            }
        }
    }

    deinit {
        state.update(wakingAll: true) { $0.isStopping = true }
    }

    /// Hands work to the lane's threads, from any thread, without blocking.
    ///
    /// - Returns: false when the queue is full or the lane is stopping: the work will not run.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.update { state in
            guard !state.isStopping, state.waiting.count < configuration.capacity else { return false }
            state.waiting.append(work)
            return true
        }
    }

    /// Pieces of work that wait.
    package var depth: Int { state.withLock { $0.waiting.count } }

    /// Takes no more work, runs what was taken, and returns when the threads have ended.
    ///
    /// Blocks; never call it from work of this lane.
    package func stop() {
        state.update(wakingAll: true) { $0.isStopping = true }
        _ = state.wait { $0.running == 0 ? true : nil }
    }

    private static func run(_ state: Monitor<State>) {
        while let work = next(state) { work() }
        state.update(wakingAll: true) { $0.running -= 1 }
    }

    private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
        let work: (@Sendable () -> Void)?? = state.wait { state in
            if let work = state.waiting.popFirst() { return .some(work) }
            return state.isStopping ? .some(nil) : nil
        }
        return work ?? nil
    }
}
