import LinuxSystem

/// The log of purges in a stream of Redis 7 or Valkey.
///
/// Keys: `{NAME}:purges`, a stream with IDs `0-SEQUENCE` and the fields `mark`, `prev` and `purge`; `{NAME}:nodes`, a hash with what
/// each node has stated. The braces put both into one slot of a Redis Cluster, whose redirections are not followed.
final class RedisPurgeLog: PurgeLog {
    private struct Call {
        let byDigest: [[UInt8]]
        let withText: [[UInt8]]
    }

    private let location: LogLocation
    private let keys: [[UInt8]]
    private let times: LogTimes
    private let keep: [UInt8]
    private let interruption: LogInterruption
    private var connection: RedisConnection?
    private var random = SystemRandomNumberGenerator()

    /// Creates a log that connects with its first call.
    ///
    /// - Parameters:
    ///   - name: the cluster's name.
    ///   - keep: about how many entries the stream keeps.
    init(_ location: LogLocation, name: String, keep: Int, times: LogTimes, interruption: LogInterruption) {
        self.location = location
        keys = [Array("{\(name)}:purges".utf8), Array("{\(name)}:nodes".utf8)]
        self.keep = Array("\(keep)".utf8)
        self.times = times
        self.interruption = interruption
    }

    func append(_ entries: [LogAppend]) -> [Result<LogPlace, LogError>] {
        let connection: RedisConnection
        do { connection = try connect() } catch { return entries.map { _ in .failure(error) } }
        connection.setTimeout(times.command)
        let calls = entries.map { entry in
            call(
                .append,
                [Array(entry.mark.utf8), entry.payload, keep, Array((entry.repeating.map { "\($0)" } ?? "").utf8)]
            )
        }
        var replies: [RedisReply] = []
        var failure: LogError?
        do {
            try connection.exchange(calls.map { $0.byDigest }, replies: &replies)
        } catch {
            self.connection = nil
            failure = .outcomeUnknown(error.reason)
        }
        var results = zip(replies, calls).map { reply, call in
            Result { () throws(LogError) in try place(try loading(reply, call)) }
        }
        if let failure { results += calls.dropFirst(results.count).map { _ in .failure(failure) } }
        return results
    }

    func read(after place: LogPlace, limit: Int, waiting: Int64) throws(LogError) -> [LogEntry] {
        var words = ["XREAD", "COUNT", "\(limit)"]
        // BLOCK 0 would wait without end.
        if waiting >= 1_000_000 { words += ["BLOCK", "\(waiting / 1_000_000)"] }
        words.append("STREAMS")
        let reply = try send(
            words.map { Array($0.utf8) } + [keys[0], Array("0-\(place.sequence)".utf8)],
            waiting: waiting
        )
        if case .failure(let reason) = reply { throw .refused(reason) }
        guard let streams = reply.elements else { return [] }
        guard let entries = streams.first?.elements?.last?.elements else {
            throw .refused("unexpected answer to XREAD")
        }
        return try entries.map { reply throws(LogError) in try entry(reply, in: place.log) }
    }

    func head(_ presence: LogPresence) throws(LogError) -> LogPlace {
        let applied = presence.applied
        return try place(
            try run(.head, [presence.node, "\(applied?.sequence ?? 0)", applied?.log ?? "", presence.beat])
        )
    }

    func nodes(forgetting: [LogNodes.Node]) throws(LogError) -> LogNodes {
        let reply = try run(.nodes, forgetting.flatMap { [$0.name, "\($0.applied):\($0.beat)"] })
        guard let parts = reply.elements, parts.count == 3, let log = parts[0].string, let fields = parts[2].elements,
            let head = parts[1].string.flatMap({ UInt64($0) })
        else {
            throw .refused("unexpected list of nodes")
        }
        let words = fields.map { $0.string ?? "" }
        let nodes = stride(from: 0, to: words.count - 1, by: 2).compactMap { index -> LogNodes.Node? in
            let statement = words[index + 1].split(separator: ":", maxSplits: 1)
            guard statement.count == 2, let applied = UInt64(statement[0]) else { return nil }
            return LogNodes.Node(name: words[index], applied: applied, beat: String(statement[1]))
        }
        return LogNodes(log: log, head: head, nodes: nodes)
    }

    /// Facts about the engine, as INFO states them.
    func information() throws(LogError) -> [String: String] {
        let reply = try send([Array("INFO".utf8)], waiting: 0)
        guard let text = reply.string else { throw .refused("unexpected answer to INFO") }
        let pairs = text.split(whereSeparator: \.isNewline).map { $0.split(separator: ":", maxSplits: 1) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }

    private func connect() throws(LogError) -> RedisConnection {
        if let connection { return connection }
        if interruption.isInterrupted { throw .stopped }
        let opened = try RedisConnection(
            location,
            connect: times.connect,
            command: times.command,
            interruption: interruption
        )
        connection = opened
        return opened
    }

    private func call(_ script: RedisScript, _ arguments: [[UInt8]]) -> Call {
        let rest = [Array("2".utf8)] + keys + [Array(LogMark.new(using: &random).utf8)] + arguments
        return Call(
            byDigest: [Array("EVALSHA".utf8), script.digest] + rest,
            withText: [Array("EVAL".utf8), script.text] + rest
        )
    }

    private func run(_ script: RedisScript, _ arguments: [String]) throws(LogError) -> RedisReply {
        let call = call(script, arguments.map { Array($0.utf8) })
        return try loading(try send(call.byDigest, waiting: 0), call)
    }

    /// Returns the reply to a script, which is sent with its text if the engine does not have it yet.
    private func loading(_ reply: RedisReply, _ call: Call) throws(LogError) -> RedisReply {
        var reply = reply
        if case .failure(let reason) = reply, reason.hasPrefix("NOSCRIPT") {
            reply = try send(call.withText, waiting: 0)
        }
        guard case .failure(let reason) = reply else { return reply }
        throw reason.hasPrefix("UNKNOWN ") ? .outcomeUnknown(reason) : .refused(reason)
    }

    /// Sends a command; after a failure the connection is not used again.
    private func send(_ words: [[UInt8]], waiting: Int64) throws(LogError) -> RedisReply {
        let connection = try connect()
        connection.setTimeout(times.command + waiting)
        var replies: [RedisReply] = []
        do {
            try connection.exchange([words], replies: &replies)
        } catch {
            self.connection = nil
            throw .outcomeUnknown(error.reason)
        }
        return replies[0]
    }

    private func place(_ reply: RedisReply) throws(LogError) -> LogPlace {
        guard let parts = reply.elements, parts.count == 3, let sequence = parts[0].string.flatMap({ UInt64($0) }),
            let mark = parts[1].string, let log = parts[2].string
        else { throw .refused("unexpected answer of a script") }
        return LogPlace(sequence: sequence, mark: mark, log: log)
    }

    private func entry(_ reply: RedisReply, in log: String) throws(LogError) -> LogEntry {
        guard let parts = reply.elements, parts.count == 2, let id = parts[0].string, id.hasPrefix("0-"),
            let sequence = UInt64(id.dropFirst(2)), let fields = parts[1].elements
        else { throw .refused("the stream has entries of another program") }
        var mark: String?
        var previous: String?
        var payload: [UInt8] = []
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            switch fields[index].string {
            case "mark": mark = fields[index + 1].string
            case "prev": previous = fields[index + 1].string
            case "purge": if case .text(let bytes) = fields[index + 1] { payload = bytes }
            default: break
            }
        }
        guard let mark, let previous else { throw .refused("the stream has entries of another program") }
        return LogEntry(
            place: LogPlace(sequence: sequence, mark: mark, log: log),
            previous: previous,
            payload: payload
        )
    }
}

/// Random marks.
enum LogMark {
    /// 16 hexadecimal digits.
    static func new(using random: inout some RandomNumberGenerator) -> String {
        let digits = String(random.next() as UInt64, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
