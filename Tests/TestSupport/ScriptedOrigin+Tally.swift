import LinuxSystem

/// The counters of a `ScriptedOrigin`, and the tests that wait for them.
final class ScriptedTally: Sendable {
    struct State {
        var heads: [String] = []
        var accepted = 0
        var open: [ScriptedConnection] = []
        var mostOpen = 0
        var active = 0
        var mostActive = 0
        var isStopped = false
        var waiters: [(condition: Condition, continuation: CheckedContinuation<Void, Never>)] = []

        func meets(_ condition: Condition) -> Bool {
            switch condition {
            case .heads(let count): heads.count >= count
            case .open(let count): open.count <= count
            }
        }

        mutating func takeReadyWaiters() -> [CheckedContinuation<Void, Never>] {
            let before = waiters
            waiters = before.filter { !isStopped && !meets($0.condition) }
            return before.filter { isStopped || meets($0.condition) }.map(\.continuation)
        }
    }

    enum Condition {
        case heads(Int)
        case open(Int)
    }

    let state = Lock(State())

    /// Resumes at once if the condition already holds.
    func wait(for condition: Condition, _ continuation: CheckedContinuation<Void, Never>) {
        change { $0.waiters.append((condition, continuation)) }
    }

    func opened(_ connection: ScriptedConnection) -> Bool {
        change {
            guard !$0.isStopped else { return false }
            $0.accepted += 1
            connection.number = $0.accepted
            $0.open.append(connection)
            $0.mostOpen = max($0.mostOpen, $0.open.count)
            return true
        }
    }

    func closed(_ connection: ScriptedConnection) {
        connection.close()
        change { $0.open.removeAll { $0 === connection } }
    }

    func began(_ head: String) -> Int {
        change {
            $0.heads.append(head)
            $0.active += 1
            $0.mostActive = max($0.mostActive, $0.active)
            return $0.heads.count
        }
    }

    func ended() {
        change { $0.active -= 1 }
    }

    /// The connections to cut; `nil` if already stopped.
    func stop() -> [ScriptedConnection]? {
        change {
            guard !$0.isStopped else { return nil }
            $0.isStopped = true
            return $0.open
        }
    }

    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, ready) = state.withLock { state in
            let value = body(&state)
            return (value, state.takeReadyWaiters())
        }
        for continuation in ready { continuation.resume() }
        return value
    }
}
