import Glibc
import LinuxSystem

extension LogFollower {
    /// The first thread: follows the log until `stop`.
    func follow() {
        // A write to a closed connection must not end the process.
        _ = BlockedSignals([SIGPIPE])
        let log = connect(times, interruptions[0])
        var follower = FollowerState(node: node, place: following.place, times: times)
        var random = SystemRandomNumberGenerator()
        while !isStopped {
            do {
                perform(try turn(&follower, log), of: follower)
            } catch {
                let pause = follower.failed(using: &random)
                if isStopped { return }
                note(error, ofFollower: true)
                following.failed(error)
                _ = state.wait(nanoseconds: pause) { $0.isStopped ? () : nil }
            }
        }
    }

    private func turn(
        _ follower: inout FollowerState,
        _ log: any PurgeLog
    ) throws(LogError) -> [FollowerState.Effect] {
        let began = time.monotonic
        switch follower.next(at: began) {
        case .beat(let presence):
            return follower.answered(try log.head(presence), began: began)
        case .read(let place, let waiting):
            return follower.received(
                try log.read(after: place, limit: FollowerState.readLimit, waiting: waiting)
            )
        }
    }

    private func perform(_ effects: [FollowerState.Effect], of follower: FollowerState) {
        for effect in effects {
            switch effect {
            case .apply(let entry):
                following.apply(entry)
                // The next process applies what this one may have given up.
                if isStopped { return }
                reached(entry.place) { $0.appliedCount += 1 }
            case .gap(let gap, let place):
                following.gap(gap, continuingAt: place)
                reached(place) { $0.gaps[gap, default: 0] += 1 }
            case .inTouch(let until):
                let deadline = UInt64(max(until, 0))
                following.inTouch(until: deadline)
                state.withLock { $0.status.inTouchUntil = max($0.status.inTouchUntil, deadline) }
            }
        }
        if let place = follower.place { reached(place) }
        state.withLock { state in
            state.status.head = follower.head
            if state.status.failure != nil {
                state.status.failure = nil
                state.status.recoveries += 1
            }
        }
    }

    /// The node has reached a place: ends waits for it, and appends to a log that the node has now entered.
    private func reached(_ place: LogPlace, _ count: (inout LogStatus) -> Void = { _ in }) {
        let (waits, appends) = state.withLock { state in
            count(&state.status)
            state.status.applied = place.sequence
            state.log = place.log
            let isDone = state.waits.map { $0.isDoneHere(state) }
            defer {
                state.waits = zip(state.waits, isDone).filter { !$0.1 }.map(\.0)
                state.unconfirmed.removeAll { $0.place.log == place.log }
            }
            return (
                zip(state.waits, isDone).filter(\.1).map(\.0), state.unconfirmed.filter { $0.place.log == place.log }
            )
        }
        for waiting in waits { waiting.completion(.applied(silent: [])) }
        for append in appends { append.completion(.success(append.place.sequence)) }
    }
}
