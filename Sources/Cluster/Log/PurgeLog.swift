/// A connection to a log of purges: append, read from a place, head.
///
/// The log orders the purges of all nodes. It is kept by an engine that others have written: `RedisPurgeLog` speaks to Redis and
/// Valkey; JetStream or Kafka could stand behind the same methods. All of them block, on the one thread that owns the connection.
/// After `unreachable` and `outcomeUnknown` the next call connects again.
package protocol PurgeLog: AnyObject {
    /// Adds entries, and returns for each its place in the log. Other entries may come between them.
    func append(_ entries: [LogAppend]) -> [Result<LogPlace, LogError>]

    /// Returns up to `limit` entries after a place, oldest first.
    ///
    /// - Parameter waiting: nanoseconds to wait for the first one; 0 does not wait.
    func read(after place: LogPlace, limit: Int, waiting: Int64) throws(LogError) -> [LogEntry]

    /// States what this node has applied, and returns the end of the log as it was at one moment during the call.
    func head(_ presence: LogPresence) throws(LogError) -> LogPlace

    /// Returns what each node has stated, after it has removed nodes whose statement is still the given one.
    func nodes(forgetting: [LogNodes.Node]) throws(LogError) -> LogNodes
}

/// An entry to be added.
package struct LogAppend: Sendable {
    /// The entry's random mark, by which a repetition recognises it.
    package let mark: String
    /// The entry's bytes.
    package let payload: [UInt8]
    /// For a repetition after an unknown outcome: the last entry known before the first attempt.
    ///
    /// If the entry is found after it, nothing is added.
    package var repeating: UInt64?
}

/// What a node says of itself with each heartbeat.
package struct LogPresence: Sendable, Hashable {
    /// The name of the node and of this run of its daemon.
    package let node: String
    /// The place that it has applied; `nil` before it has found one.
    package let applied: LogPlace?
    /// A number that differs in each heartbeat.
    package let beat: String
}

/// What all nodes have stated.
package struct LogNodes: Sendable {
    /// A node's last statement.
    package struct Node: Sendable {
        /// As in `LogPresence`.
        package let name: String
        /// The last entry of this log that the node has applied; 0 before the first.
        package let applied: UInt64
        /// As in `LogPresence`.
        package let beat: String
    }

    /// The log's identity, as in `LogPlace`.
    package let log: String
    /// The last entry's number.
    package let head: UInt64
    /// The nodes in no order.
    package let nodes: [Node]
}

/// Why the log did not do what was asked.
package enum LogError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no connection; nothing was sent.
    case unreachable(String)
    /// The engine has answered with an error: wrong password, missing permission, no memory, read-only replica. Nothing was added.
    case refused(String)
    /// The connection was lost before the answer: an entry may have been added.
    case outcomeUnknown(String)
    /// As many appends as may wait are waiting.
    case busy(limit: Int)
    /// The payload is longer than the bound.
    case tooLarge(limit: Int)
    /// `LogFollower.stop` was called.
    case stopped

    package var description: String {
        switch self {
        case .unreachable(let reason): "the log cannot be reached: \(reason)"
        case .refused(let reason): "the log refuses: \(reason)"
        case .outcomeUnknown(let reason): "the log has not answered: \(reason)"
        case .busy(let limit): "\(limit) purges are waiting for the log"
        case .tooLarge(let limit): "the purge is longer than \(limit) bytes"
        case .stopped: "the daemon is ending"
        }
    }
}
