import LinuxSystem

/// Originals, and objects derived from them, that are not on disk yet; requests use them instead of fetching or making them again.
///
/// Its size is bounded by the disk's write queue; any thread.
package final class RecentOriginals: Sendable {
    package struct Recent: Sendable {
        package var record: OriginRecord
        package var body: OriginBody
        /// Distinguishes successive versions of an original.
        fileprivate var number: Int
    }

    /// A derived object.
    package struct Derived: Sendable {
        package var record: VariantRecord
        package var bytes: [UInt8]
        fileprivate var subject: PurgeSubject
        fileprivate var number: Int
    }

    private struct State: Sendable {
        var originals: [CacheKey: Recent] = [:]
        var derived: [CacheKey: Derived] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Lock(State())

    /// Creates an empty collection.
    package init() {}

    /// Returns an original that is not on disk yet.
    package func find(_ key: CacheKey) -> Recent? { state.withLock { $0.originals[key] } }

    /// Returns a derived object that is not on disk yet.
    ///
    /// - Parameter digest: the digest of the original's body; an object made from another body is not returned.
    package func derived(_ key: CacheKey, from digest: CacheKey) -> Derived? {
        state.withLock { $0.derived[key] }.flatMap { $0.record.originDigest == digest ? $0 : nil }
    }

    /// Stores an original on disk and retains it until it is committed; it is not retained if the disk rejects it.
    package func store(_ record: OriginRecord, _ body: OriginBody, on disk: any DiskStoring) {
        let key = record.key
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.originals[key] = Recent(record: record, body: body, number: number)
            return number
        }
        guard disk.store(origin: record, body: body) else { return remove(key, number) }
        disk.flush { [weak self] in self?.remove(key, number) }
    }

    /// Stores an object derived from an original on disk and retains it until it is committed, like an original.
    package func store(
        _ record: VariantRecord,
        of origin: OriginRecord,
        bytes: [UInt8],
        on disk: any DiskStoring
    ) {
        let key = record.key
        let subject = PurgeSubject(record, of: origin)
        let number = state.withLock { state in
            let number = state.nextNumber()
            state.derived[key] = Derived(record: record, bytes: bytes, subject: subject, number: number)
            return number
        }
        guard disk.store(variant: record, origin: origin, bytes: bytes) else { return remove(key, number) }
        disk.flush { [weak self] in self?.remove(key, number) }
    }

    /// Removes an object derived from an original, unless it has another digest.
    package func drop(derived key: CacheKey, digest: CacheKey) {
        state.withLock { state in
            if state.derived[key]?.record.digest == digest { state.derived[key] = nil }
        }
    }

    /// Removes what a purge selects, or marks the originals as stale.
    package func purge(_ purge: Purge) {
        state.withLock { state in
            for (key, recent) in state.originals {
                guard purge.selection.covers(PurgeSubject(recent.record)) == true else { continue }
                if let time = purge.staleFrom {
                    state.originals[key]?.record.expire(at: time)
                } else {
                    state.originals[key] = nil
                }
            }
            // A derived object is as fresh as its original.
            guard purge.staleFrom == nil else { return }
            state.derived = state.derived.filter { purge.selection.covers($0.value.subject) != true }
        }
    }

    private func remove(_ key: CacheKey, _ number: Int) {
        state.withLock { state in
            if state.originals[key]?.number == number { state.originals[key] = nil }
            if state.derived[key]?.number == number { state.derived[key] = nil }
        }
    }
}
