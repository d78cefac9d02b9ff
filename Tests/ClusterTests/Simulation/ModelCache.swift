@testable import Cluster

/// A model of what a node does with its cache: the rules of `LogFollowing`'s implementation in the daemon.
struct ModelCache {
    /// A stored response, or one that is being downloaded.
    struct Row {
        /// When its download, or its last validation, began; simulated time.
        var began: Int64
        /// What the node had applied then.
        var sequence: UInt64
        var era: Int
        /// `began` on the node's own clock.
        var confirmed: Int64
    }

    /// A write of the cache's one writer, in order.
    enum Write {
        case store(Int, Row)
        case remove(Int, below: UInt64)
        case place(LogPlace, era: Int)
    }

    var rows: [Int: Row] = [:]
    var flights: [Int: (id: Int, row: Row, isTainted: Bool)] = [:]
    var place: LogPlace?
    var era = 0
    /// On the node's own clock.
    var inTouchUntil: Int64 = 0
    /// Writes that have not reached the disk.
    var writes: [Write] = []
    /// What is on the disk.
    private var stored: [Int: Row] = [:]
    private var storedPlace: LogPlace?
    private var storedEra = 0
    private var started = 0
    private let rule: BrokenRule?

    init(breaking rule: BrokenRule?) { self.rule = rule }

    /// The sequence of what it has applied.
    private var sequence: UInt64 { place?.sequence ?? 0 }

    /// What a reader gets without a download; `nil` if it must ask the origin.
    mutating func read(_ key: Int, clock: Int64) -> Row? {
        func isUsable(_ row: Row) -> Bool {
            guard row.era == era else { return false }
            if clock < inTouchUntil || rule == .outOfTouchIgnored { return true }
            return row.confirmed > clock - 1_000_000_000
        }
        if let row = rows[key], isUsable(row) { return row }
        if let flight = flights[key], !flight.isTainted, isUsable(flight.row) { return flight.row }
        return nil
    }

    /// Begins a download or a validation, and returns its number.
    mutating func begin(_ key: Int, at time: Int64, clock: Int64) -> Int {
        started += 1
        flights[key] = (
            started, Row(began: time, sequence: sequence, era: era, confirmed: clock), false
        )
        return started
    }

    /// Ends a download: stored unless a purge came, or another download replaced it.
    mutating func end(_ key: Int, id: Int, clock: Int64) {
        guard let flight = flights[key], flight.id == id else { return }
        flights[key] = nil
        guard !flight.isTainted else { return }
        var row = flight.row
        if rule == .eraAtEnd { row.era = era }
        if rule == .confirmedAtEnd { row.confirmed = clock }
        rows[key] = row
        writes.append(.store(key, row))
    }

    /// Applies a purge of one key: readers and downloads at once, the disk later.
    mutating func apply(_ entry: LogEntry) {
        let key = Int(String(decoding: entry.payload, as: UTF8.self)) ?? -1
        if let row = rows[key], row.sequence < entry.sequence { rows[key] = nil }
        if rule != .flightsNotTainted, let flight = flights[key], flight.row.sequence < entry.sequence {
            flights[key]?.isTainted = true
        }
        place = entry.place
        let removal = Write.remove(key, below: rule == .rowsSpared ? 0 : entry.sequence)
        let commit = Write.place(entry.place, era: era)
        writes += rule == .placeBeforeRows ? [commit, removal] : [removal, commit]
    }

    /// Treats everything as stale.
    mutating func gap(at place: LogPlace) {
        if rule != .gapIgnored { era += 1 }
        self.place = place
        writes.append(.place(place, era: era))
    }

    /// Takes the oldest write to the disk.
    ///
    /// A removal and its place are one transaction.
    mutating func write() {
        guard !writes.isEmpty else { return }
        let first = writes.removeFirst()
        perform(first)
        if case .remove = first, case .place = writes.first { perform(writes.removeFirst()) }
    }

    private mutating func perform(_ write: Write) {
        switch write {
        case .store(let key, let row): stored[key] = row
        case .remove(let key, let limit):
            if let row = stored[key], row.sequence < limit { stored[key] = nil }
        case .place(let place, let era): (storedPlace, storedEra) = (place, era)
        }
    }

    /// A crash, or the loss of power: what is on the disk remains.
    mutating func restart() {
        (rows, place, era) = (stored, storedPlace, storedEra)
        (flights, writes, inTouchUntil) = ([:], [], 0)
        // A machine's clock that has begun anew says nothing of what was confirmed before.
        for key in rows.keys { rows[key]?.confirmed = .min }
    }
}
