/// A position in the log: everything up to and including one entry.
package struct LogPlace: Sendable, Hashable {
    /// The number of the entry.
    ///
    /// Entries are numbered without gaps; the first one, 1, opens the log and carries no purge.
    package let sequence: UInt64
    /// The entry's random mark, 16 hexadecimal digits.
    package let mark: String
    /// Which log it is: it changes when the log begins anew, and when another server process holds it, since that one may lack
    /// the last entries.
    package let log: String

    /// Creates a place.
    package init(sequence: UInt64, mark: String, log: String) {
        self.sequence = sequence
        self.mark = mark
        self.log = log
    }

    /// Reads what `text` has written; `nil` for anything else.
    package init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = UInt64(parts[0]), !parts[1].isEmpty, !parts[2].isEmpty else {
            return nil
        }
        self.init(sequence: sequence, mark: String(parts[1]), log: String(parts[2]))
    }

    /// The place as one line of text, to be stored.
    package var text: String { "\(sequence):\(mark):\(log)" }
}

/// A purge in the log.
package struct LogEntry: Sendable, Hashable {
    /// Where it stands; a follower that has applied it has reached this place.
    package let place: LogPlace
    /// The mark of the entry before it.
    package let previous: String
    /// What `LogFollower.append` was given; empty for the entry that opens the log.
    package let payload: [UInt8]

    /// The entry's number.
    package var sequence: UInt64 { place.sequence }

    /// Creates an entry.
    package init(place: LogPlace, previous: String, payload: [UInt8]) {
        self.place = place
        self.previous = previous
        self.payload = payload
    }
}
