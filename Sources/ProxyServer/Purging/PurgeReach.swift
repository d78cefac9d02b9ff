/// Where a purge was applied, as its response states.
enum PurgeReach: Hashable, Sendable {
    /// On this node, which is not part of a cluster, or alone was meant.
    case alone
    /// On this node alone, although others exist: the log did not take the purge, for this reason.
    case local(String)
    /// On this node, and in the log: the others apply it within a second, or treat what they hold as stale.
    case log(UInt64)
    /// On all nodes but those named, which are out of touch.
    case all(UInt64, silent: [String])
    /// In the log, but these nodes have not said in time that they have applied it.
    case missing(UInt64, [String])

    init(_ outcome: ClusterPurger.Outcome) {
        self =
            switch outcome.reach {
            case .log: .log(outcome.sequence)
            case .all(let silent): .all(outcome.sequence, silent: silent)
            case .missing(let nodes): .missing(outcome.sequence, nodes)
            }
    }

    /// The value of `applied`; `nil` outside of a cluster.
    var word: String? {
        switch self {
        case .alone: nil
        case .local: "local"
        case .log, .missing: "log"
        case .all: "all"
        }
    }

    /// The response's status: an error unless the promise of a purge holds.
    var status: UInt16 {
        switch self {
        case .alone, .log, .all: 200
        case .local: 503
        case .missing: 504
        }
    }

    /// The members that the response's object has in a cluster.
    var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = word.map { [.init("applied", .string($0))] } ?? []
        switch self {
        case .alone: break
        case .local(let reason):
            members.append(.init("detail", .string("Only this node has purged: \(reason). Purge again.")))
        case .log(let sequence): members.append(.init("sequence", .number(Int(clamping: sequence))))
        case .all(let sequence, let silent):
            members.append(.init("sequence", .number(Int(clamping: sequence))))
            members.append(.init("silent", .array(silent.map { .string($0) })))
        case .missing(let sequence, let nodes):
            members.append(.init("sequence", .number(Int(clamping: sequence))))
            members.append(.init("missing", .array(nodes.map { .string($0) })))
            members.append(.init("detail", .string("Not all nodes have said in time that they have purged.")))
        }
        return members
    }
}
