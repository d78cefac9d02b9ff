import Glibc
import LinuxSystem

/// An append that waits for its turn.
struct WaitingAppend: Sendable {
    let payload: [UInt8]
    let asked: Int64
    let completion: @Sendable (Result<UInt64, LogError>) -> Void
}

/// An append to a log that the follower is not in.
///
/// Either the log has just changed and the follower is about to notice it, or the two connections lead to different servers, one of
/// which is about to be abandoned: then nobody may ever read the entry.
struct UnconfirmedAppend: Sendable {
    let place: LogPlace
    let deadline: Int64
    let completion: @Sendable (Result<UInt64, LogError>) -> Void

    init(_ append: WaitingAppend, at place: LogPlace, deadline: Int64) {
        (self.place, self.deadline, completion) = (place, deadline, append.completion)
    }
}

/// Somebody who waits until an entry is applied.
struct LogWaiting: Sendable {
    let sequence: UInt64
    let scope: LogScope
    let asked: Int64
    let deadline: Int64
    let completion: @Sendable (LogWait) -> Void

    /// Whether it is for this node only, which has applied the entry.
    func isDoneHere(_ state: borrowing LogFollower.State) -> Bool {
        guard case .thisNode = scope, state.log != nil else { return false }
        return state.status.applied >= sequence
    }
}

extension LogFollower {
    /// Appends that are sent at once.
    private static let batch = 64

    private enum Work {
        case stop
        case append([WaitingAppend])
        /// A wait has come: its time is to be considered.
        case reconsider
    }

    /// The second thread: adds entries and lists nodes until `stop`.
    func serve() {
        _ = BlockedSignals([SIGPIPE])
        var times = times
        // Somebody waits for the answer: an append has failed sooner than the follower's connection.
        times.command = min(times.command, times.append / 3)
        var log = connect(times, interruptions[1])
        var nextList = time.monotonic
        var listed = nextList
        var wake = nextList
        while true {
            switch state.wait(nanoseconds: max(wake - time.monotonic, 0), until: work) {
            case .stop: return endPending()
            case .append(let appends): append(appends, to: log)
            case .reconsider, nil: break
            }
            var pause = times.listing
            if time.monotonic >= nextList {
                listed = time.monotonic
                if !listNodes(log) { pause = min(pause, 1_000_000_000) }
            }
            if endUnconfirmed() { log = connect(times, interruptions[1]) }
            let (soon, deadline) = endWaits()
            nextList = listed + min(pause, soon ?? pause)
            wake = min(nextList, deadline ?? nextList)
        }
    }

    private func work(_ state: inout State) -> Work? {
        if state.isStopped { return .stop }
        if !state.queue.isEmpty {
            let appends = Array(state.queue.prefix(Self.batch))
            state.queue.removeFirst(appends.count)
            return .append(appends)
        }
        guard state.hasNewWaits else { return nil }
        state.hasNewWaits = false
        return .reconsider
    }

    /// Ends what is pending when the follower stops.
    func endPending() {
        let (appends, waits) = state.withLock { state in
            defer { (state.queue, state.unconfirmed, state.waits) = ([], [], []) }
            return (state.queue.map(\.completion) + state.unconfirmed.map(\.completion), state.waits)
        }
        for completion in appends { completion(.failure(.stopped)) }
        for waiting in waits { waiting.completion(.missing([])) }
    }

    private func append(_ appends: [WaitingAppend], to log: any PurgeLog) {
        var random = SystemRandomNumberGenerator()
        let known = state.withLock { max($0.status.head, $0.status.applied) }
        var entries = appends.map {
            LogAppend(mark: LogMark.new(using: &random), payload: $0.payload, repeating: nil)
        }
        var results = log.append(entries)
        let unknown = results.indices.filter { if case .failure(.outcomeUnknown) = results[$0] { true } else { false } }
        if !unknown.isEmpty, time.monotonic - appends[unknown[0]].asked < times.append, !isStopped {
            for index in unknown { entries[index].repeating = known }
            for (index, result) in zip(unknown, log.append(unknown.map { entries[$0] })) {
                // A repetition that was not sent leaves open what became of the first attempt.
                if case .failure(.unreachable(let reason)) = result {
                    results[index] = .failure(.outcomeUnknown(reason))
                } else {
                    results[index] = result
                }
            }
        }
        complete(zip(appends, results).map { ($0, $1) })
    }

    private func complete(_ results: [(append: WaitingAppend, result: Result<LogPlace, LogError>)]) {
        // While the log cannot be reached, the next ones would each wait as long.
        var refused: [WaitingAppend] = []
        var reason: LogError?
        for case .failure(let error) in results.map(\.result) {
            switch error {
            case .unreachable, .stopped: reason = error
            case .outcomeUnknown(let text): reason = .unreachable(text)
            case .refused, .busy, .tooLarge: break
            }
        }
        var done: [(append: WaitingAppend, result: Result<LogPlace, LogError>)] = []
        state.withLock { state in
            for (append, result) in results {
                switch result {
                case .success(let place):
                    state.status.appended += 1
                    if place.log == state.log {
                        done.append((append, result))
                    } else {
                        state.unconfirmed.append(
                            UnconfirmedAppend(append, at: place, deadline: append.asked + times.append)
                        )
                    }
                case .failure:
                    state.status.errors += 1
                    done.append((append, result))
                }
            }
            if reason != nil { swap(&refused, &state.queue) }
            state.status.errors += refused.count
        }
        for (append, result) in done { append.completion(result.map(\.sequence)) }
        if let reason { for append in refused { append.completion(.failure(reason)) } }
    }

    /// Ends appends that the follower has not confirmed in time.
    ///
    /// - Returns: whether there were any: then the next connection may lead to the server that the follower has.
    private func endUnconfirmed() -> Bool {
        let now = time.monotonic
        let (late, log) = state.withLock { state in
            defer { state.unconfirmed.removeAll { $0.deadline <= now } }
            return (state.unconfirmed.filter { $0.deadline <= now }, state.log)
        }
        let reason =
            log == nil
            ? "this process does not follow the log yet"
            : "this node follows another log than the one that it has written to"
        for append in late {
            let error = LogError.outcomeUnknown(reason)
            note(error, ofFollower: false)
            append.completion(.failure(error))
        }
        return !late.isEmpty
    }

    /// Lists the nodes, and returns whether that has worked.
    private func listNodes(_ log: any PurgeLog) -> Bool {
        let began = time.monotonic
        do {
            let list = try log.nodes(forgetting: state.withLock { $0.board.forgettable })
            let ended = time.monotonic
            state.withLock { $0.board.update(list, began: began, ended: ended) }
            return true
        } catch {
            if !isStopped { note(error, ofFollower: false) }
            return false
        }
    }

    /// Ends waits for all nodes that are done, and those whose time is up.
    ///
    /// - Returns: the time between lists that the rest needs, and the next time that is up.
    private func endWaits() -> (soon: Int64?, deadline: Int64?) {
        let now = time.monotonic
        var ended: [(LogWaiting, LogWait)] = []
        let left = state.withLock { state in
            var left: [LogWaiting] = []
            for waiting in state.waits {
                if let end = end(of: waiting, in: state, at: now) {
                    ended.append((waiting, end))
                } else {
                    left.append(waiting)
                }
            }
            state.waits = left
            return left
        }
        for (waiting, end) in ended { waiting.completion(end) }
        // Lists become rarer with the age of the youngest wait.
        let asked = left.filter { if case .allNodes = $0.scope { true } else { false } }.map(\.asked).max()
        let deadlines = left.map(\.deadline) + state.withLock { $0.unconfirmed.map(\.deadline) }
        return (asked.map { min(max((now - $0) / 4, 2_000_000), 100_000_000) }, deadlines.min())
    }

    private func end(of waiting: LogWaiting, in state: borrowing State, at now: Int64) -> LogWait? {
        guard case .allNodes = waiting.scope else {
            return now < waiting.deadline ? nil : .missing([NodeBoard.name(of: node)])
        }
        // A list of another log than the one that the follower is in says nothing.
        let isOfLog = state.board.log == state.log
        let nodes = isOfLog ? state.board.nodes(at: waiting.sequence, asked: waiting.asked) : nil
        if let nodes, nodes.missing.isEmpty { return .applied(silent: nodes.silent) }
        return now < waiting.deadline ? nil : .missing(nodes?.missing ?? [])
    }
}
