/// The places of purges in progress, in the order of the log: a place is durable only when all purges up to it are.
///
/// Confined to the writer's thread; outlives the sessions, which may lose a transaction.
final class DiskPlaces {
    /// A purge's part in a place.
    struct Ticket: Hashable, Sendable {
        var sequence: Int64
        /// Changes with each new position: places of an earlier log do not count any more.
        fileprivate var log: Int
    }

    /// Successive purges whose last place is saved at once.
    private struct Group {
        var place: PurgePlace
        var unfinished = 1
    }

    /// The maximum number of groups; further purges join the last one.
    private static let capacity = 65_536

    /// The position that the index has, or will have with the next commit.
    private(set) var current: PurgePosition?
    /// The position that the index has.
    private var saved: PurgePosition?
    private var groups: [Group] = []
    /// How many of the first groups are no longer needed.
    private var first = 0
    /// What the open transaction has finished.
    private var pending: [Ticket] = []
    private var log = 0

    /// The present era; 0 outside of a cluster.
    var era: Int64 { current?.era ?? 0 }

    /// Continues with an opened index; what this process knows wins over what the index has.
    func open(_ found: PurgePosition?) {
        saved = found
        current = current ?? found
    }

    /// Replaces the position, after purges were missed.
    func set(_ position: PurgePosition) {
        current = position
        (groups, first, pending) = ([], 0, [])
        log += 1
    }

    /// Adds a purge that begins, in the order of the log.
    func begin(_ place: PurgePlace) -> Ticket {
        if groups.count - first >= Self.capacity {
            groups[groups.count - 1].place = place
            groups[groups.count - 1].unfinished += 1
        } else {
            groups.append(Group(place: place))
        }
        return Ticket(sequence: place.sequence, log: log)
    }

    /// Records that the open transaction completes a purge.
    func finish(_ ticket: Ticket) {
        guard add(-1, to: ticket) else { return }
        pending.append(ticket)
    }

    /// Returns the later one of the tickets of two equal purges, which counts for both.
    func later(_ one: Ticket?, _ other: Ticket?) -> Ticket? {
        guard let one, let other else { return one ?? other }
        let isLater = (one.log, one.sequence) > (other.log, other.sequence)
        _ = add(-1, to: isLater ? other : one)
        return isLater ? one : other
    }

    /// The position to save with the open transaction; `nil` if the index has it.
    var unsaved: PurgePosition? {
        var position = current
        if let last = groups[first...].prefix(while: { $0.unfinished == 0 }).last {
            position = PurgePosition(place: last.place, era: era)
        }
        return position == saved ? nil : position
    }

    /// Records that the open transaction is committed.
    func commit() {
        saved = unsaved ?? saved
        current = saved ?? current
        pending = []
        while first < groups.count, groups[first].unfinished == 0 { first += 1 }
        guard first == groups.count || first > 1024 else { return }
        groups.removeFirst(first)
        first = 0
    }

    /// Records that the open transaction is lost.
    func abandon() {
        for ticket in pending { _ = add(1, to: ticket) }
        pending = []
    }

    /// Changes the number of unfinished purges of a ticket's group; false for a ticket of an earlier log.
    private func add(_ number: Int, to ticket: Ticket) -> Bool {
        guard ticket.log == log else { return false }
        var (low, high) = (first, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].place.sequence < ticket.sequence { low = middle + 1 } else { high = middle }
        }
        guard low < groups.count else { return false }
        groups[low].unfinished += number
        return true
    }
}

/// The position in the log of purges.
extension DiskIndex {
    /// Reads the position; `nil` if there is none.
    mutating func position() throws(SQLiteError) -> PurgePosition? {
        try connection.first("SELECT sequence, mark, era FROM purge_position") { row in
            let place = PurgePlace(sequence: row.integer(0), mark: row.text(1) ?? "")
            return PurgePosition(place: place, era: row.integer(2))
        }
    }

    /// Writes the position.
    mutating func save(_ position: PurgePosition) throws(SQLiteError) {
        try connection.run(
            "INSERT OR REPLACE INTO purge_position (id, sequence, mark, era) VALUES (1, ?1, ?2, ?3)",
            [.integer(position.place.sequence), .text(position.place.mark), .integer(position.era)]
        )
    }
}
