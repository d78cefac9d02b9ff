package import LinuxSystem

/// Keeps this node up to date with the log of purges, and adds to it.
///
/// One thread follows the log and calls `LogFollowing`. A second one, with a connection of its own, adds entries and lists nodes,
/// so that neither waits for a purge to be applied.
package final class LogFollower: Sendable {
    /// How many appends may wait.
    package static let appendLimit = 1_024
    /// The longest payload, in bytes.
    package static let payloadLimit = 1 << 20
    /// About how many entries the log keeps.
    package static let keptEntries = 100_000

    let node: String
    let following: any LogFollowing
    let times: LogTimes
    let time: any TimeSource
    let connect: @Sendable (LogTimes, LogInterruption) -> any PurgeLog
    let state: Monitor<State>
    let interruptions = [LogInterruption(), LogInterruption()]

    /// What both threads share.
    struct State: Sendable {
        var isStarted = false
        var isStopped = false
        var queue: [WaitingAppend] = []
        var waits: [LogWaiting] = []
        /// Whether a wait has come that the second thread has not seen.
        var hasNewWaits = false
        var board: NodeBoard
        var status = LogStatus()
        /// The log that the follower is in; `nil` before its first heartbeat.
        var log: String?
        /// Appends to a log that the follower is not in yet.
        var unconfirmed: [UnconfirmedAppend] = []
    }

    /// Creates a follower of a log in Redis or Valkey, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - name: the cluster's name, the same in all nodes.
    ///   - node: this node's name, as the status of other nodes shows it.
    ///   - keep: about how many entries the log keeps.
    package convenience init(
        location: LogLocation,
        name: String,
        node: String,
        keep: Int = keptEntries,
        following: any LogFollowing,
        times: LogTimes = LogTimes(),
        time: any TimeSource = SystemTime()
    ) {
        self.init(node: node, following: following, times: times, time: time) { times, interruption in
            RedisPurgeLog(location, name: name, keep: keep, times: times, interruption: interruption)
        }
    }

    /// Creates a follower of any log.
    ///
    /// - Parameter connect: creates the log of a thread, on this thread; the interruption must end its calls.
    package init(
        node: String,
        following: any LogFollowing,
        times: LogTimes = LogTimes(),
        time: any TimeSource = SystemTime(),
        connect: @escaping @Sendable (LogTimes, LogInterruption) -> any PurgeLog
    ) {
        var random = SystemRandomNumberGenerator()
        self.node = NodeBoard.key(name: node, run: LogMark.new(using: &random))
        self.following = following
        self.times = times
        self.time = time
        self.connect = connect
        state = Monitor(State(board: NodeBoard(times: times)))
    }

    /// Starts both threads.
    ///
    /// - Throws: `Errno` if the system cannot create a thread.
    package func start() throws(Errno) {
        state.withLock { $0.isStarted = true }
        try SystemThread.start(name: "log-follow") { self.follow() }
        try SystemThread.start(name: "log-append") { self.serve() }
    }

    /// Ends both threads as soon as possible, without waiting for them.
    ///
    /// Pending appends fail, and pending waits end.
    package func stop() {
        let isServed = state.update(wakingAll: true) { state in
            state.isStopped = true
            return state.isStarted
        }
        for interruption in interruptions { interruption.interrupt() }
        if !isServed { endPending() }
    }

    /// Whether `start` was called; until then appends wait.
    package var isStarted: Bool { state.withLock { $0.isStarted } }

    /// Adds an entry, from any thread.
    ///
    /// It succeeds once this node's follower is in the log that has the entry.
    ///
    /// - Parameter completion: is given the entry's sequence, or the error, once; on one of the two threads, or at once on the
    ///   caller's.
    package func append(_ payload: [UInt8], completion: @escaping @Sendable (Result<UInt64, LogError>) -> Void) {
        guard payload.count <= Self.payloadLimit else {
            return completion(.failure(.tooLarge(limit: Self.payloadLimit)))
        }
        let now = time.monotonic
        let refusal: LogError? = state.update(wakingAll: true) { state in
            if state.isStopped { return .stopped }
            guard state.queue.count < Self.appendLimit else {
                state.status.errors += 1
                return .busy(limit: Self.appendLimit)
            }
            state.queue.append(WaitingAppend(payload: payload, asked: now, completion: completion))
            return nil
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Waits until an entry is applied, from any thread.
    ///
    /// - Parameters:
    ///   - sequence: what `append` has returned.
    ///   - timeout: nanoseconds.
    ///   - completion: is called once, on any thread.
    package func wait(
        for sequence: UInt64,
        of scope: LogScope,
        timeout: Int64,
        completion: @escaping @Sendable (LogWait) -> Void
    ) {
        let now = time.monotonic
        let waiting = LogWaiting(
            sequence: sequence,
            scope: scope,
            asked: now,
            deadline: now + timeout,
            completion: completion
        )
        let isDone = state.update(wakingAll: true) { state in
            if state.isStopped || waiting.isDoneHere(state) { return true }
            state.waits.append(waiting)
            state.hasNewWaits = true
            return false
        }
        guard isDone else { return }
        completion(isStopped ? .missing([]) : .applied(silent: []))
    }

    /// The current state, from any thread.
    package var status: LogStatus {
        let now = time.monotonic
        return state.withLock { state in
            var status = state.status
            status.isInTouch = status.inTouchUntil > UInt64(max(now, 0))
            status.nodes = state.board.nodes
            status.waitingAppends = state.queue.count
            return status
        }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Counts a failed call.
    func note(_ error: LogError, ofFollower: Bool) {
        state.withLock { state in
            state.status.errors += 1
            if ofFollower { state.status.failure = error }
        }
    }
}
