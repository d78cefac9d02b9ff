/// A position in the log of purges that the nodes of a cluster share.
package struct PurgePlace: Hashable, Sendable {
    /// The number of an entry of the log; the first one has 1, and 0 precedes all.
    package var sequence: Int64
    /// The random text of that entry: it tells the entry from one with the same number in another log.
    package var mark: String

    /// Creates a place.
    package init(sequence: Int64, mark: String) {
        self.sequence = sequence
        self.mark = mark
    }

    /// The place before all entries.
    package static let start = PurgePlace(sequence: 0, mark: "")
}

/// What survives a restart: the last place of which all purges are on disk, and the era.
package struct PurgePosition: Hashable, Sendable {
    package var place: PurgePlace
    /// The number of the era; see `PurgeProgress.era`.
    package var era: Int64

    /// Creates a position.
    package init(place: PurgePlace = .start, era: Int64 = 0) {
        self.place = place
        self.era = era
    }
}
