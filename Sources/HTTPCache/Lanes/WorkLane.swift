package import LinuxSystem

/// A bounded work queue with its own threads, for work that blocks: file and index reads.
///
/// Work starts in the order of submission, on any of the lane's threads. Lanes do not delay each other.
package final class WorkLane: Sendable {
    /// The configuration of a lane.
    package struct Configuration: Sendable {
        /// The threads' name, truncated to 13 bytes.
        package var name: String
        /// The number of threads, at least 1.
        package var threads: Int
        /// The maximum number of waiting items; running items do not count.
        package var capacity: Int

        /// Creates a configuration.
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
    /// - Throws: `Errno` if the system cannot start a thread; threads already started end.
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

    /// Queues work for the lane's threads; any thread, does not block.
    ///
    /// - Returns: false if the queue is full or the lane is stopping; the work does not run then.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.update { state in
            guard !state.isStopping, state.waiting.count < configuration.capacity else { return false }
            state.waiting.append(work)
            return true
        }
    }

    /// The number of waiting items.
    package var depth: Int { state.withLock { $0.waiting.count } }

    /// Stops accepting work, finishes the queued work, and returns when the threads have ended.
    ///
    /// Blocks; must not be called from work on this lane.
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
