/// One inconsistency of a cache folder.
package struct DiskDamage: Hashable, Sendable {
    /// The kind of inconsistency, with its repair.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The index is missing or damaged; it is rebuilt from the files.
        case index
        /// A malformed row, or one that this release cannot read; deleted.
        case row
        /// A row without its file; deleted.
        case missing
        /// A file whose length is not that of its row; both are deleted.
        case length
        /// A file whose bytes do not match its digest; deleted with its row.
        case checksum
        /// A variant whose original is missing or has another body; deleted.
        case void
        /// An original's row with neither a body nor variants; deleted.
        case unused
        /// A file without a row; deleted.
        case orphan
        /// A temporary file of a killed process; deleted.
        case leftover
        /// The stored totals differ from the rows; they are recounted.
        case totals
        /// A file or folder that cannot be read; left alone, as the cause may be the disk or permissions.
        case unreadable
        /// A file that is not the cache's; left alone, and not counted as damage.
        case unknown
    }

    package var kind: Kind
    /// The path relative to the folder, or the row if there is no file.
    package var path: String
    /// Details, such as the system's error message; may be empty.
    package var detail: String

    /// Creates a description.
    package init(_ kind: Kind, _ path: String, _ detail: String = "") {
        self.kind = kind
        self.path = path
        self.detail = detail
    }
}

/// How a reconciliation handles findings: a daemon repairs silently, a check looks deeper and reports.
struct DiskCare {
    /// Whether findings are repaired; else the folder is not changed.
    var repairs = true
    /// Whether malformed rows are searched for, and unreadable files reported.
    var isThorough = false
    /// Whether bodies are hashed and compared with their digests.
    var readsBodies = false
    /// Called for each finding.
    var report: ((DiskDamage, _ isRepaired: Bool) -> Void)?
    /// Called after each entry with the bytes of its body.
    var looked: ((Int) -> Void)?

    /// Repairs a finding if repairs are on, and reports it.
    ///
    /// - Parameter repair: returns whether the repair succeeded.
    func handle<Failure: Error>(
        _ damage: @autoclosure () -> DiskDamage,
        repair: () throws(Failure) -> Bool
    ) throws(Failure) {
        let isRepaired = repairs ? try repair() : false
        report?(damage(), isRepaired)
    }

    /// Reports a finding that has no repair.
    func note(_ damage: @autoclosure () -> DiskDamage) {
        report?(damage(), false)
    }
}
