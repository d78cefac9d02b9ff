/// A purge: the selected entries, and whether to remove them or mark them as stale.
package struct Purge: Hashable, Sendable {
    package var selection: PurgeSelection
    /// The second of the wall clock from which the selection is stale; `nil` to remove it.
    package var staleFrom: Int64?

    /// Creates a purge; it removes the selection unless a time is given.
    package init(_ selection: PurgeSelection, staleFrom: Int64? = nil) {
        self.selection = selection
        self.staleFrom = staleFrom
    }
}
