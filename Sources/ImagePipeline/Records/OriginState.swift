import HTTPSemantics
import LinuxSystem
import Synchronization

/// The freshness of one original as all its variants in memory see it: one revalidation refreshes them all.
///
/// Read on event loops without a lock, written by stage 5; any thread.
package final class OriginState: Sendable {
    /// The original's key.
    let key: CacheKey
    /// The name of its source.
    let source: String
    private let current: Lock<OriginRecord>
    /// The wall-clock second at which age would be zero.
    private let bornAt: Atomic<Int64>
    /// The first wall-clock second at which the original is stale.
    private let staleAt: Atomic<Int64>
    private let currentVersion = Atomic<UInt64>(0)

    init(_ record: OriginRecord) {
        key = record.key
        source = record.source
        current = Lock(record)
        bornAt = Atomic(record.freshness.bornAt)
        staleAt = Atomic(record.freshness.staleAt)
    }

    /// What is known of the original now.
    package var record: OriginRecord { current.withLock { $0 } }

    /// The state as it is now, for who makes something of it.
    var snapshot: OriginSnapshot {
        current.withLock { OriginSnapshot(state: self, version: version, record: $0) }
    }

    /// Changes when an answer made earlier is no longer right: another body, or other words to clients.
    package var version: UInt64 { currentVersion.load(ordering: .acquiring) }

    /// Whether answers may be served without asking the origin (RFC 9111 §4.2).
    package func isFresh(at now: Int64) -> Bool { now < staleAt.load(ordering: .relaxed) }

    /// The `Age` of answers now, in seconds (RFC 9111 §4.2.3).
    package func age(at now: Int64) -> Int64 { max(0, now &- bornAt.load(ordering: .relaxed)) }

    /// Takes what the origin said last.
    ///
    /// - Returns: the state as this answer has made it, for who makes something of its body: the record is this one, whatever is
    ///   said through others meanwhile, and then what is made counts as outdated.
    func update(_ record: OriginRecord) -> OriginSnapshot {
        current.withLock { current in
            let saysOther =
                current.digest != record.digest || current.cacheControl != record.cacheControl
                || current.lastModified != record.lastModified
                || current.advertisedLifetime != record.advertisedLifetime
            current = record
            bornAt.store(record.freshness.bornAt, ordering: .relaxed)
            staleAt.store(record.freshness.staleAt, ordering: .relaxed)
            if saysOther { currentVersion.add(1, ordering: .acquiringAndReleasing) }
            return OriginSnapshot(state: self, version: version, record: record)
        }
    }
}
