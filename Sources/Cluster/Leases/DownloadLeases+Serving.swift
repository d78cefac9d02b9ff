import Glibc
import LinuxSystem

extension DownloadLeases {
    private struct Batch {
        var ends: [LeaseEnd] = []
        var takes: [LeaseRequest] = []
        /// Requests whose turn it is to look at another node's lease.
        var looks: [LeaseRequest] = []
        var isEmpty: Bool { ends.isEmpty && takes.isEmpty && looks.isEmpty }
    }

    private enum Work {
        case stop
        case send(Batch)
    }

    /// The thread: keeps the connection, and sends what is queued, until `stop`.
    func serve() {
        // A write to a closed connection must not end the process.
        _ = BlockedSignals([SIGPIPE])
        var connection: RedisConnection?
        var pause = times.pause.lowerBound
        var retry = time.monotonic
        while true {
            let next: Int64? = if connection == nil { retry } else { state.withLock { $0.waits.map(\.next).min() } }
            let wait = next.map { max($0 - time.monotonic, 0) }
            switch state.wait(nanoseconds: wait, until: work) {
            case .stop: return disconnect()
            case .send(let batch):
                guard let open = connection, !send(batch, over: open) else { continue }
                connection = nil
                disconnect()
                retry = time.monotonic + pause
            case nil:
                guard connection == nil, time.monotonic >= retry else { continue }
                connection = connect()
                if connection == nil {
                    retry = time.monotonic + pause
                    pause = min(pause * 2, times.pause.upperBound)
                } else {
                    pause = times.pause.lowerBound
                    state.withLock { $0.isConnected = true }
                }
            }
        }
    }

    private func work(_ state: inout State) -> Work? {
        if state.isStopped { return .stop }
        guard state.isConnected else { return nil }
        let now = time.monotonic
        var batch = Batch()
        swap(&batch.ends, &state.ends)
        swap(&batch.takes, &state.takes)
        batch.looks = state.waits.filter { $0.next <= now }
        state.waits.removeAll { $0.next <= now }
        return batch.isEmpty ? nil : .send(batch)
    }

    /// Connects; a server that is stopped accepts connections, too, so that it has to answer.
    private func connect() -> RedisConnection? {
        guard !state.withLock({ $0.isStopped }),
            let connection = try? RedisConnection(
                location,
                connect: times.connect,
                command: times.connect,
                interruption: interruption
            )
        else { return nil }
        connection.setTimeout(times.budget)
        var replies: [RedisReply] = []
        guard (try? connection.exchange([commands.probe], replies: &replies)) != nil, case .nothing = replies[0] else {
            return nil
        }
        return connection
    }

    /// Ends what waits for the engine: it is downloaded without leases.
    ///
    /// Ends of leases are kept for the next connection.
    private func disconnect() {
        // What is released takes the lock.
        let lost = state.withLock { state in
            state.isConnected = false
            let requests = state.takes + state.waits
            (state.takes, state.waits) = ([], [])
            var ends: [LeaseEnd] = []
            if state.isStopped { swap(&ends, &state.ends) }
            return (requests: requests, ends: ends)
        }
        for request in lost.requests { proceed(request, .unavailable) }
    }

    /// Sends what was queued, and continues each request with its reply.
    ///
    /// - Returns: false if the connection is not to be used again.
    private func send(_ batch: Batch, over connection: RedisConnection) -> Bool {
        let now = time.monotonic
        for request in batch.takes where now - request.asked > times.budget { proceed(request, .unavailable) }
        let takes = batch.takes.filter { now - $0.asked <= times.budget }
        // An older one may have waited for the connection; its lease has run out.
        let ended = batch.ends.filter { now - $0.time <= times.lease }
        let ends = ended.map { commands.end($0.key, token: $0.token, $0.end) }
        let asked = takes.map { commands.take($0.key, token: $0.token, replacing: $0.seen) }
        let all = ends + asked + batch.looks.map { commands.look($0.key) }
        guard !all.isEmpty else { return true }
        var replies: [RedisReply] = []
        let isWhole = (try? connection.exchange(all, replies: &replies)) != nil
        // Sent again with the next connection, if they are recent: a repeated end has no effect.
        let unanswered = ended.dropFirst(replies.count)
        if !unanswered.isEmpty { state.withLock { $0.ends += unanswered } }
        let answers = replies.dropFirst(ends.count)
        var next = answers.startIndex
        for (request, isTake) in takes.map({ ($0, true) }) + batch.looks.map({ ($0, false) }) {
            defer { next += 1 }
            guard next < answers.endIndex else {
                // The engine may have granted the lease, or may yet: its end has to be sent, or other nodes wait in vain.
                if isTake { grant(request, .unavailable) } else { proceed(request, .unavailable) }
                continue
            }
            answered(request, answers[next], isTake: isTake)
        }
        return isWhole && !replies.contains { if case .failure = $0 { true } else { false } }
    }

    private func answered(_ request: LeaseRequest, _ reply: RedisReply, isTake: Bool) {
        switch reply {
        case .nothing where isTake: grant(request, .taken)
        // The lease that it has looked at was abandoned, or has run out: the store may have the original without having been told.
        case .nothing: request.look { [self] in ask(request) }
        case .text(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            let isOver = time.monotonic >= request.deadline
            switch LeaseCommands.Value(text) {
            case .failed: proceed(request, .failed)
            case .shared where !isOver || request.seen == nil:
                request.look { [self] in
                    var request = request
                    request.seen = text
                    ask(request)
                }
            case .busy where !isOver: wait(request)
            case .shared, .busy: proceed(request, .expired)
            }
        case .failure, .integer, .list: proceed(request, .unavailable)
        }
    }

    /// Lets a request wait for the next look at another node's lease.
    private func wait(_ request: LeaseRequest) {
        var request = request
        request.next = min(time.monotonic + request.pause, request.deadline)
        request.pause = min(request.pause * 2, times.looks.upperBound)
        state.withLock { [request] in $0.waits.append(request) }
    }
}
