/// Failures are kept beside what could be had; written in batches, so that a crash loses the last seconds' at most.
extension DiskStore: FailureKeeping {
    package func keep(_ failure: KeptFailure) { note(.keep(failure), for: failure.key) }

    package func discardFailure(_ key: CacheKey) { note(.discard, for: key) }

    package func keptFailures(limit: Int) -> [KeptFailure] {
        read { index throws(SQLiteError) in try index.failures(limit: limit) } ?? []
    }

    private func note(_ change: DiskFailures.Change, for key: CacheKey) {
        if shared.failures.add(change, for: key) { shared.queue.wake() }
    }
}
