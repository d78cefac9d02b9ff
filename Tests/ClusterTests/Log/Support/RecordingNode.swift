import LinuxSystem
import TestSupport

@testable import Cluster

/// A node without a cache: it remembers what the log has told it.
final class RecordingNode: LogFollowing {
    struct Record: Sendable {
        var applied: [LogEntry] = []
        var gaps: [LogGap] = []
        var place: LogPlace?
        var deadline: UInt64 = 0
        var isClosed = false
    }

    let record: Signal<Record>

    init(place: LogPlace? = nil) { record = Signal(Record(place: place)) }

    var place: LogPlace? { record.value.place }

    /// The payloads that were applied, as texts.
    var payloads: [String] { record.value.applied.map { String(decoding: $0.payload, as: UTF8.self) } }

    func apply(_ entry: LogEntry) {
        record.update {
            $0.applied.append(entry)
            $0.place = entry.place
        }
        // A gate that tests close.
        _ = try? record.wait { !$0.isClosed }
    }

    func gap(_ gap: LogGap, continuingAt place: LogPlace) {
        record.update {
            $0.gaps.append(gap)
            $0.place = place
        }
    }

    func inTouch(until deadline: UInt64) { record.update { $0.deadline = max($0.deadline, deadline) } }
}

/// Nodes that follow the log of one server.
final class LogRig {
    let server: RedisServer
    private var followers: [LogFollower] = []

    init(_ server: RedisServer) { self.server = server }

    deinit { for follower in followers { follower.stop() } }

    /// Creates a node, and starts it unless told otherwise.
    func node(
        _ name: String = "a",
        place: LogPlace? = nil,
        times: LogTimes = .patient,
        location: String? = nil,
        isStarted: Bool = true
    ) throws -> (node: RecordingNode, follower: LogFollower) {
        let node = RecordingNode(place: place)
        let follower = LogFollower(
            location: try LogLocation(location ?? server.location),
            name: "edge",
            node: name,
            following: node,
            times: times
        )
        followers.append(follower)
        if isStarted { try follower.start() }
        return (node, follower)
    }

    /// A connection to the log for this thread.
    func log(_ location: String? = nil, keep: Int = 100_000, times: LogTimes = .patient) throws -> RedisPurgeLog {
        RedisPurgeLog(
            try LogLocation(location ?? server.location),
            name: "edge",
            keep: keep,
            times: times,
            interruption: LogInterruption()
        )
    }
}

extension LogTimes {
    /// Those of production, for machines on which a server may be given no time for seconds.
    static var patient: LogTimes {
        var times = LogTimes()
        (times.connect, times.command, times.append) = (15_000_000_000, 15_000_000_000, 45_000_000_000)
        return times
    }
}

extension LogFollower {
    /// Adds an entry and waits for the answer.
    func append(_ text: String) throws -> Result<UInt64, LogError> {
        let answer = Signal<Result<UInt64, LogError>?>(nil)
        append(Array(text.utf8)) { result in answer.update { $0 = result } }
        return try answer.wait { $0 != nil } ?? .failure(.stopped)
    }

    /// Waits until an entry is applied.
    func wait(for sequence: UInt64, of scope: LogScope, seconds: Int64 = 15) throws -> LogWait? {
        let answer = Signal<LogWait?>(nil)
        wait(for: sequence, of: scope, timeout: seconds * 1_000_000_000) { result in answer.update { $0 = result } }
        return try answer.wait { $0 != nil }
    }
}

extension LogAppend {
    /// An entry with a mark of its own.
    init(_ text: String) {
        var random = SystemRandomNumberGenerator()
        self.init(mark: LogMark.new(using: &random), payload: Array(text.utf8), repeating: nil)
    }
}
