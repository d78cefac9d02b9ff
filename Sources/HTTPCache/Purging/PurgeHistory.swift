/// The purges that were applied last, in a bounded number and size.
struct PurgeHistory: Sendable {
    /// The maximum number of purges.
    static let maximumCount = 65_536
    /// The maximum size of all selections, in bytes.
    static let maximumBytes = 16 << 20

    private struct Entry: Sendable {
        var sequence: Int64
        /// The originals that a purge by key selects.
        var keys: [CacheKey]
        var cost: Int
    }

    /// All purges after this place are in the history.
    private(set) var start: Int64
    private var entries = RingQueue<Entry>()
    private var cost = 0
    /// The last purge of each original, among those by key.
    private var byKey: [CacheKey: Int64] = [:]
    /// The other purges in the order of their places, from `firstOther` on.
    private var others: [(place: Int64, selection: PurgeSelection)] = []
    private var firstOther = 0

    /// Creates an empty history that begins after a place.
    init(after start: Int64) { self.start = start }

    /// Adds the purge at a place, which must follow all others.
    mutating func append(_ selection: PurgeSelection, at sequence: Int64) {
        var entry = Entry(sequence: sequence, keys: [], cost: 64 + selection.byteCount)
        if case .originals(let keys) = selection {
            entry.keys = keys
            for key in keys { byKey[key] = sequence }
        } else {
            others.append((sequence, selection))
        }
        entries.append(entry)
        cost += entry.cost
        while entries.count > Self.maximumCount || cost > Self.maximumBytes, let oldest = entries.popFirst() {
            cost -= oldest.cost
            start = oldest.sequence
            if firstOther < others.count, others[firstOther].place == oldest.sequence { firstOther += 1 }
            for key in oldest.keys where byKey[key] == oldest.sequence { byKey[key] = nil }
        }
        if firstOther > others.count / 2 {
            others.removeFirst(firstOther)
            firstOther = 0
        }
    }

    /// The index of the first other purge after a place.
    private func index(after place: Int64) -> Int {
        var (low, high) = (firstOther, others.count)
        while low < high {
            let middle = (low + high) / 2
            if others[middle].place > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether a purge after a place selects a subject; `nil` if that is not known.
    func covers(_ subject: PurgeSubject, since sequence: Int64) -> Bool? {
        guard sequence >= start else { return nil }
        if ([subject] + subject.auxiliaries).contains(where: { byKey[$0.origin] ?? .min > sequence }) { return true }
        var isKnown = true
        for other in others[index(after: sequence)...] {
            switch other.selection.covers(subject) {
            case true?: return true
            case false?: continue
            case nil: isKnown = false
            }
        }
        return isKnown ? false : nil
    }
}

extension PurgeSelection {
    /// The approximate size in memory, in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .originals(let keys): keys.count * 128
        case .source(let name): name.utf8.count
        case .prefixes(let prefixes): prefixes.reduce(0) { $0 + 64 + $1.source.utf8.count + $1.url.utf8.count }
        case .tags(let tags): tags.reduce(0) { $0 + 64 + $1.utf8.count }
        case .confirmedBefore, .staleAt, .all: 0
        case .preset(let pattern):
            pattern.settings.reduce(pattern.name.utf8.count + pattern.steps.utf8.count) { $0 + 64 + $1.utf8.count }
        case .within(let namespace, let selection): 64 + namespace.utf8.count + selection.byteCount
        }
    }
}
