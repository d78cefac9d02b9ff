import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import Cluster

/// The log in Redis and Valkey themselves.
///
/// `make test` installs both and requires them; without them, `swift test` alone skips these.
@Suite(.timeLimit(.minutes(1)), .enabled(if: RedisServer.isEnabled))
struct RedisPurgeLogTests {
    typealias Engine = RedisServer.Engine

    private let presence = LogPresence(node: "a/1", applied: nil, beat: "1")

    /// All entries after the one that opens the log.
    private func entries(_ log: RedisPurgeLog) throws -> [LogEntry] {
        let head = try log.head(presence)
        return try log.read(after: LogPlace(sequence: 1, mark: "", log: head.log), limit: 10_000, waiting: 0)
    }

    @Test(arguments: Engine.allCases)
    func `many appenders make one chain without gaps`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let finished = Signal(0)
        for appender in 0..<8 {
            let log = try rig.log()
            nonisolated(unsafe) let confined = log
            try SystemThread.start(name: "appender") {
                for round in 0..<5 {
                    let results = unsafe confined.append((0..<10).map { LogAppend("\(appender)-\(round)-\($0)") })
                    for case .failure(let error) in results { Issue.record(error) }
                }
                finished.update { $0 += 1 }
            }
        }
        try finished.wait { $0 == 8 }
        let found = try entries(rig.log())
        #expect(found.map(\.sequence) == Array(2...401))
        #expect(zip(found, found.dropFirst()).allSatisfy { $1.previous == $0.place.mark })
        #expect(Set(found.map(\.payload)).count == 400)
    }

    @Test(arguments: Engine.allCases)
    func `an empty log begins with an entry, and its end stays the same until one is added`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log()
        let first = try log.head(presence)
        #expect(first.sequence == 1 && first.mark.count == 16)
        #expect(try rig.log().head(presence) == first)
        let added = try #require(log.append([LogAppend("x")]).first).get()
        #expect(added.sequence == 2 && added.log == first.log)
        #expect(try log.head(presence) == added)
        let read = try log.read(after: first, limit: 10, waiting: 0)
        #expect(read == [LogEntry(place: added, previous: first.mark, payload: Array("x".utf8))])
        #expect(try log.read(after: added, limit: 10, waiting: 0) == [])
    }

    @Test(arguments: Engine.allCases)
    func `a repetition finds what the first attempt has added`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log()
        var entry = LogAppend("once")
        let added = try #require(log.append([entry]).first).get()
        _ = log.append((0..<20).map { LogAppend("\($0)") })
        entry.repeating = 1
        #expect(try #require(log.append([entry]).first).get() == added)
        var other = LogAppend("new")
        other.repeating = 1
        #expect(try #require(log.append([other]).first).get().sequence == 23)
        _ = log.append((0..<1_000).map { LogAppend("\($0)") })
        var late = LogAppend("late")
        late.repeating = 2
        let result = try #require(log.append([late]).first)
        guard case .failure(.outcomeUnknown) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(try log.head(presence).sequence == 1_023)
    }

    @Test(arguments: Engine.allCases)
    func `old entries are trimmed`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log(keep: 10)
        for _ in 0..<10 { _ = log.append((0..<50).map { LogAppend("\($0)") }) }
        let found = try entries(log)
        #expect(found.count < 250 && found.last?.sequence == 501)
        #expect(found.map(\.sequence) == Array((502 - UInt64(found.count))...501))
    }

    @Test(arguments: Engine.allCases)
    func `a log without its last entries, and one without any, begin anew as another log`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log()
        _ = log.append((0..<3).map { LogAppend("\($0)") })
        var logs = [try log.head(presence).log]
        #expect(rig.server.command("XDEL {edge}:purges 0-4") == ":1\r\n")
        let added = try #require(log.append([LogAppend("x")]).first).get()
        #expect(added.sequence == 2)
        logs.append(added.log)
        #expect(rig.server.command("XTRIM {edge}:purges MAXLEN 0") == ":2\r\n")
        logs.append(try log.head(presence).log)
        #expect(try log.head(presence).sequence == 1)
        rig.server.command("FLUSHALL")
        logs.append(try log.head(presence).log)
        rig.server.command("DEL {edge}:nodes")
        logs.append(try log.head(presence).log)
        #expect(Set(logs).count == 5, "\(logs)")
    }

    @Test(arguments: Engine.allCases)
    func `a server that was restarted or promoted holds another log, though the entries are the same`(
        engine: Engine
    ) throws {
        let rig = LogRig(try RedisServer(engine, ["--appendonly", "yes"]))
        let added = try #require(rig.log().append([LogAppend("x")]).first).get()
        rig.server.kill()
        try rig.server.start()
        let log = try rig.log()
        let restarted = try log.head(presence)
        #expect(restarted.mark == added.mark && restarted.sequence == 2 && restarted.log != added.log)
        #expect(try log.head(presence) == restarted)
        rig.server.command("REPLICAOF 127.0.0.1 1")
        let failure = #expect(throws: LogError.self) { try log.head(presence) }
        #expect(failure?.description.contains("READONLY") == true, "\(String(describing: failure))")
        rig.server.command("REPLICAOF NO ONE")
        let promoted = try log.head(presence)
        #expect(promoted.mark == added.mark && promoted.log != restarted.log)
    }

    @Test(arguments: Engine.allCases)
    func `keys of other programs are refused and left alone`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let log = try rig.log()
        func expectRefusal(_ reason: String) throws {
            let failure = #expect(throws: LogError.self) { try log.head(presence) }
            #expect(failure?.description.contains(reason) == true, "\(String(describing: failure))")
            guard case .failure(.refused(let text)) = log.append([LogAppend("x")])[0] else {
                Issue.record("not refused")
                return
            }
            #expect(text.contains(reason))
        }
        rig.server.command("SET {edge}:purges text")
        try expectRefusal("WRONGTYPE")
        #expect(rig.server.command("GET {edge}:purges") == "$4\r\ntext\r\n")
        rig.server.command("FLUSHALL")
        rig.server.command("XADD {edge}:purges 5-1 field value")
        try expectRefusal("another program")
        #expect(rig.server.command("XLEN {edge}:purges") == ":1\r\n")
    }

    @Test(arguments: Engine.allCases)
    func `a user with only the documented permissions is enough`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        let commands = RedisScript.permissions.map { "+\($0)" }.joined(separator: " ")
        #expect(rig.server.command("ACL SETUSER edge on >canary ~{edge}:* \(commands)") == "+OK\r\n")
        let log = try rig.log("redis+unix://edge:canary@\(rig.server.socket)?db=1")
        let head = try log.head(presence)
        #expect(try #require(log.append([LogAppend("x")]).first).get().sequence == 2)
        #expect(try log.read(after: head, limit: 10, waiting: 1_000_000).count == 1)
        #expect(try log.nodes(forgetting: [.init(name: "a/1", applied: 0, beat: "1")]).nodes.count == 0)
    }

    @Test(arguments: Engine.allCases)
    func `a log behind a port is reached by name and by address`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine, ["--requirepass", "right"], onPort: true))
        let head = try rig.log("redis://:right@localhost:\(rig.server.port)").head(presence)
        #expect(head.sequence == 1)
        #expect(try rig.log("redis://default:right@127.0.0.1:\(rig.server.port)/0").head(presence) == head)
        rig.server.kill()
        let failure = #expect(throws: LogError.self) {
            try rig.log("redis://:right@127.0.0.1:\(rig.server.port)").head(presence)
        }
        #expect(failure == .unreachable("Connection refused"))
    }

    @Test(arguments: Engine.allCases)
    func `one look names the engine, the nodes and a policy that would evict the log`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine))
        _ = try rig.log().head(presence)
        let location = try LogLocation(rig.server.location)
        let found = try LogInspection(location, name: "edge")
        #expect(found.engine.hasPrefix(engine == .valkey ? "Valkey 9." : "Redis 7."))
        #expect(found.nodes == ["a"] && !found.evicts)
        rig.server.command("CONFIG SET maxmemory 100mb maxmemory-policy allkeys-lru")
        #expect(try LogInspection(location, name: "edge").evicts)
    }

    @Test(arguments: Engine.allCases)
    func `a wrong password is refused, and not told`(engine: Engine) throws {
        let rig = LogRig(try RedisServer(engine, ["--requirepass", "right"]))
        let log = try rig.log("redis+unix://:canary@\(rig.server.socket)")
        let failure = #expect(throws: LogError.self) { try log.head(presence) }
        guard case .refused(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.hasPrefix("WRONGPASS") && !reason.contains("canary"))
        #expect(try rig.log("redis+unix://:right@\(rig.server.socket)").head(presence).sequence == 1)
    }
}
