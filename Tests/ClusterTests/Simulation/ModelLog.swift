@testable import Cluster

/// A model of the log in Redis: what the scripts of `RedisScript` do, and what failures do to it.
final class ModelLog {
    struct Entry {
        let sequence: UInt64
        let mark: String
        let previous: String
        let key: Int
    }

    /// What an old copy contains.
    struct Copy {
        var entries: [Entry] = []
        var generation = ""
        var nodes: [String: (applied: UInt64, beat: String)] = [:]
    }

    private(set) var contents = Copy()
    private var server = 0
    private var marks = 0
    /// Whether nobody can reach it.
    var isDown = false
    private var readers: [() -> Void] = []
    private let rule: BrokenRule?

    init(breaking rule: BrokenRule?) { self.rule = rule }

    private func mark() -> String {
        marks += 1
        return "m\(marks)"
    }

    private var identity: String {
        if contents.entries.isEmpty {
            let mark = mark()
            contents = Copy(
                entries: [Entry(sequence: 1, mark: mark, previous: "", key: -1)],
                generation: mark
            )
        }
        return rule == .serverIgnored ? "log" : "\(contents.generation)-\(server)"
    }

    private func place(_ entry: Entry, _ log: String) -> LogPlace {
        LogPlace(sequence: entry.sequence, mark: entry.mark, log: log)
    }

    func append(key: Int) -> LogPlace {
        let log = identity
        let last = contents.entries[contents.entries.count - 1]
        let entry = Entry(sequence: last.sequence + 1, mark: mark(), previous: last.mark, key: key)
        contents.entries.append(entry)
        let waiting = readers
        readers = []
        for reader in waiting { reader() }
        return place(entry, log)
    }

    func head(_ presence: LogPresence) -> LogPlace {
        let log = identity
        let applied = presence.applied.map { $0.log == log ? $0.sequence : 0 } ?? 0
        contents.nodes[presence.node] = (applied, presence.beat)
        return place(contents.entries[contents.entries.count - 1], log)
    }

    func read(after place: LogPlace) -> [LogEntry] {
        contents.entries.filter { $0.sequence > place.sequence }.prefix(FollowerState.readLimit).map {
            entry in
            LogEntry(
                place: self.place(entry, place.log),
                previous: entry.previous,
                payload: Array("\(entry.key)".utf8)
            )
        }
    }

    /// Calls back with the next entry.
    func whenAppended(_ reader: @escaping () -> Void) { readers.append(reader) }

    func nodes() -> LogNodes {
        let log = identity
        return LogNodes(
            log: log,
            head: contents.entries[contents.entries.count - 1].sequence,
            nodes: contents.nodes.map {
                LogNodes.Node(name: $0.key, applied: $0.value.applied, beat: $0.value.beat)
            }
        )
    }

    /// What an operator or a failure does to it.
    func flush() { contents = Copy() }

    func trim(keeping count: Int) { contents.entries = contents.entries.suffix(max(count, 1)) }

    /// Another process holds it: with everything, nothing, or an old copy.
    func restart(with copy: Copy?) {
        server += 1
        if let copy { contents = copy }
        readers = []
    }
}
