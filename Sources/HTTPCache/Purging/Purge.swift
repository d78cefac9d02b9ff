/// A purge: what it is about, and whether that goes or only counts as stale.
package struct Purge: Hashable, Sendable {
    package var selection: PurgeSelection
    /// The second of the wall clock from which what is selected counts as stale; `nil` where it is removed.
    package var staleFrom: Int64?

    /// Describes a purge; one that removes unless a time is given.
    package init(_ selection: PurgeSelection, staleFrom: Int64? = nil) {
        self.selection = selection
        self.staleFrom = staleFrom
    }
}
