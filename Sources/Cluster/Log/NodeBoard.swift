/// What is known of the nodes' statements, and whether all nodes have applied an entry.
///
/// It compares no clocks of different machines: a node is silent when its statement has stayed the same between two lists that
/// are long enough apart on this node's own clock. Everything that a heartbeat before the first one has granted has then ended.
package struct NodeBoard: Sendable {
    private struct Row {
        var node: LogNodes.Node
        /// When the first list that had this statement was complete.
        var first: Int64
        /// When the last list that had it was requested.
        var last: Int64
    }

    private let times: LogTimes
    private var rows: [String: Row] = [:]
    /// The log of the last list.
    package private(set) var log = ""
    /// When the first list of this log was complete.
    ///
    /// Nodes in touch through an earlier log may be missing for a second.
    private var since: Int64 = 0
    /// When the last list was requested.
    private var listed: Int64?

    /// Creates a board that knows nothing.
    package init(times: LogTimes = LogTimes()) { self.times = times }

    /// Takes a list.
    package mutating func update(_ list: LogNodes, began: Int64, ended: Int64) {
        if list.log != log {
            (log, since, rows) = (list.log, ended, [:])
        }
        listed = began
        var listedRows: [String: Row] = [:]
        for node in list.nodes {
            if var row = rows[node.name], row.node.beat == node.beat {
                row.last = began
                listedRows[node.name] = row
            } else {
                listedRows[node.name] = Row(node: node, first: ended, last: ended)
            }
        }
        rows = listedRows
    }

    private func isSilent(_ row: Row, for time: Int64) -> Bool { row.last - row.first >= time }

    /// Whether all nodes have applied an entry, as of the last list.
    ///
    /// - Parameter asked: when this was asked, after the entry was added; lists requested before do not count.
    /// - Returns: the names of silent nodes, and of those that have not stated the entry; `nil` if no list can tell yet. A node out
    ///   of touch may serve what its origin has confirmed within the last second, so silent nodes count after that only.
    package func nodes(at sequence: UInt64, asked: Int64) -> (silent: [String], missing: [String])? {
        guard let listed, listed >= asked, listed - since >= times.touch * 3 / 2 else { return nil }
        let behind = rows.values.filter { $0.node.applied < sequence }
        let canSkip = listed - asked >= times.touch * 3 / 2
        func names(_ rows: [Row]) -> [String] { Set(rows.map { Self.name(of: $0.node.name) }).sorted() }
        return (
            names(behind.filter { canSkip && isSilent($0, for: times.silence) }),
            names(behind.filter { !canSkip || !isSilent($0, for: times.silence) })
        )
    }

    /// Statements of nodes that have long been silent.
    package var forgettable: [LogNodes.Node] {
        rows.values.filter { isSilent($0, for: times.forget) }.map(\.node)
    }

    /// All nodes by name; of several runs of one, the one that speaks, else the furthest.
    package var nodes: [LogNode] {
        var nodes: [String: LogNode] = [:]
        for row in rows.values {
            let name = Self.name(of: row.node.name)
            let node = LogNode(name: name, applied: row.node.applied, isSilent: isSilent(row, for: times.silence))
            guard let other = nodes[name] else {
                nodes[name] = node
                continue
            }
            if other.isSilent != node.isSilent ? other.isSilent : other.applied < node.applied { nodes[name] = node }
        }
        return nodes.values.sorted { $0.name < $1.name }
    }

    /// Joins the name of a node and a mark of this run of its daemon, since two runs overlap when a daemon is replaced.
    package static func key(name: String, run: String) -> String { "\(name)/\(run)" }

    /// The name in a key.
    package static func name(of key: String) -> String {
        key.lastIndex(of: "/").map { String(key[..<$0]) } ?? key
    }
}
