import LinuxSystem

/// The counts of a shared store since the start, and its present state.
package struct StoreStatistics: Hashable, Sendable {
    /// Requests for objects.
    package var reads = 0
    /// Objects that were found, and usable.
    package var hits = 0
    /// Objects that were not there.
    package var misses = 0
    /// Reads given up because the store was too slow.
    package var slow = 0
    /// Objects that were not what their key says, or whose digest did not match.
    package var damaged = 0
    /// Objects that a purge has made unusable.
    package var purged = 0
    /// Reads that failed otherwise.
    package var readFailures = 0
    /// Look-ups that were not sent, because the store is failing or too many are in progress.
    package var skipped = 0
    /// Originals and results that were written.
    package var writes = 0
    /// Bytes of them.
    package var bytesWritten = 0
    /// Writes dropped because the queue was full, or by a purge.
    package var dropped = 0
    /// Writes given up after repeated failures.
    package var writeFailures = 0
    /// Whether reads are suspended.
    package var isReadingSuspended = false
    /// Whether writes are suspended.
    package var isWritingSuspended = false
    /// Writes that wait or are in progress.
    package var queued = 0
    /// Bytes of them.
    package var queuedBytes = 0

    /// Creates zero counts.
    package init() {}
}
