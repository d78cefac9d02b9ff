/// One thing in a cache folder that is not as it should be.
package struct DiskDamage: Hashable, Sendable {
    /// What is wrong, and with it what a repair does.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The index is missing or damaged; a new one takes its place, made of the files.
        case index
        /// A row that no release has written; it goes.
        case row
        /// A row whose file is not there; the row goes.
        case missing
        /// A file that is shorter or longer than its row says; both go.
        case length
        /// A file whose bytes are not those that were stored; it goes with its row.
        case checksum
        /// A variant of another original than the one that is stored, or of none; it goes.
        case void
        /// An original's row that neither a body nor a variant needs; it goes.
        case unused
        /// A body's file that no row tells of; it goes.
        case orphan
        /// What a process that was killed has left half written; it goes.
        case leftover
        /// The stored totals are not those of the rows; they are counted anew.
        case totals
        /// A file or folder that cannot be read; it is left, as the disk or its rights may be to blame.
        case unreadable
        /// A file that is not the cache's; it is left, and is no fault of the folder.
        case unknown
    }

    package var kind: Kind
    /// Relative to the folder; a row's key where no file is meant.
    package var path: String
    /// The rest of the sentence, such as the system's words; may be empty.
    package var detail: String

    /// Creates a description.
    package init(_ kind: Kind, _ path: String, _ detail: String = "") {
        self.kind = kind
        self.path = path
        self.detail = detail
    }
}
