import HTTPSemantics
import LinuxSystem
import Synchronization

/// The shared freshness of one original, used by all its variants in memory: one revalidation refreshes them all.
///
/// Event loops read it without a lock, and stage 5 writes it; any thread.
package final class OriginState: Sendable {
    /// The original's key.
    package let key: CacheKey
    /// The name of its source.
    package let source: String
    private let current: Lock<OriginRecord>
    /// The wall-clock second at which the age is zero.
    private let bornAt: Atomic<Int64>
    /// The first wall-clock second at which the original is stale.
    private let staleAt: Atomic<Int64>
    private let currentVersion = Atomic<UInt64>(0)
    /// The seconds of stale use that the origin allows; `unsaid` if it does not state them and the source's setting applies.
    private let whileRevalidating: Atomic<Int64>
    private let ifError: Atomic<Int64>
    /// The stamp of the request that confirmed the original last.
    private let era: Atomic<Int64>
    private let beganAt: Atomic<Int64>
    private let progress: PurgeProgress

    /// Whether the origin has denied a client access since the last update.
    private let denied = Atomic(false)

    private static let unsaid: Int64 = -1

    /// Creates the state of an original from its record.
    ///
    /// - Parameter progress: the node's knowledge of purges.
    package init(_ record: OriginRecord, progress: PurgeProgress = .alone) {
        let allowance = record.policy.staleAllowance
        key = record.key
        source = record.source
        current = Lock(record)
        bornAt = Atomic(record.freshness.bornAt)
        staleAt = Atomic(record.freshness.staleAt)
        whileRevalidating = Atomic(allowance.whileRevalidating ?? Self.unsaid)
        ifError = Atomic(allowance.ifError ?? Self.unsaid)
        era = Atomic(record.stamp.era)
        beganAt = Atomic(record.stamp.beganAt)
        self.progress = progress
    }

    /// The current record.
    package var record: OriginRecord { current.withLock { $0 } }

    /// The current snapshot, for work that derives something from the original.
    package var snapshot: OriginSnapshot {
        current.withLock { OriginSnapshot(state: self, version: version, record: $0) }
    }

    /// A number that changes when earlier responses become invalid: the body, or the fields sent to clients, have changed.
    package var version: UInt64 { currentVersion.load(ordering: .acquiring) }

    /// Whether responses may be served without contacting the origin (RFC 9111 §4.2).
    @inline(__always)
    package func isFresh(at now: Int64) -> Bool { now < staleAt.load(ordering: .relaxed) && trust == .full }

    /// Whether responses may be used, as far as purges are concerned.
    @inline(__always)
    package var trust: PurgeProgress.Trust {
        guard progress.isInCluster else { return .full }
        let stamp = PurgeStamp(era: era.load(ordering: .relaxed), beganAt: beganAt.load(ordering: .relaxed))
        return progress.trust(stamp)
    }

    /// The remaining seconds of freshness; negative once the original is stale.
    package func freshSeconds(at now: Int64) -> Int64 {
        let (seconds, overflow) = staleAt.load(ordering: .relaxed).subtractingReportingOverflow(now)
        return overflow ? .max : seconds
    }

    /// Whether a stale response may be served while it is revalidated (RFC 5861 §3).
    ///
    /// - Parameter seconds: the source's setting, which applies if the origin states nothing.
    package func isUsableWhileRevalidating(at now: Int64, default seconds: Int64) -> Bool {
        allows(whileRevalidating.load(ordering: .relaxed), at: now, else: seconds) && trust == .full
    }

    /// Whether a stale response may be served if its revalidation fails (RFC 5861 §4).
    ///
    /// - Parameter seconds: the source's setting, which applies if the origin states nothing.
    package func isUsableIfError(at now: Int64, default seconds: Int64) -> Bool {
        let trust = trust
        guard trust != .refused else { return false }
        // One that purges may concern counts as stale, however fresh it is.
        return allows(ifError.load(ordering: .relaxed), at: now, else: seconds, isStale: trust != .full)
    }

    /// Whether the origin forbids serving stale responses (RFC 9111 §4.2.4).
    package var forbidsStale: Bool {
        ifError.load(ordering: .relaxed) == 0 && whileRevalidating.load(ordering: .relaxed) == 0
    }

    private func allows(_ stated: Int64, at now: Int64, else seconds: Int64, isStale: Bool = false) -> Bool {
        let staleness = isStale ? max(0, -freshSeconds(at: now)) : -freshSeconds(at: now)
        return staleness < (stated == Self.unsaid ? seconds : stated) && !needsValidation
    }

    /// The current `Age` in seconds (RFC 9111 §4.2.3).
    package func age(at now: Int64) -> Int64 { max(0, now &- bornAt.load(ordering: .relaxed)) }

    /// Whether a stale response must be validated before it is served.
    package var needsValidation: Bool { denied.load(ordering: .relaxed) }

    /// Requires validation of stale responses until the next update, because the origin has denied a client access.
    package func requireValidation() { denied.store(true, ordering: .relaxed) }

    /// The properties that decide whether responses may be reused.
    ///
    /// - Parameter seconds: the source's `stale-while-revalidate`, which applies if the origin states none.
    package func terms(staleWhileRevalidate seconds: Int64, at now: Int64) -> ReuseTerms {
        let stated = whileRevalidating.load(ordering: .relaxed)
        return ReuseTerms(
            age: age(at: now),
            left: freshSeconds(at: now),
            needsValidation: trust != .full,
            forbidsStale: forbidsStale || needsValidation,
            staleWhileRevalidate: needsValidation ? 0 : stated == Self.unsaid ? seconds : stated
        )
    }

    /// Marks responses as stale from a second of the wall clock, unless they are already stale by then.
    package func expire(at now: Int64) {
        current.withLock { current in
            current.expire(at: now)
            staleAt.store(current.freshness.staleAt, ordering: .relaxed)
        }
    }

    /// Invalidates all responses made so far.
    package func retire() { currentVersion.add(1, ordering: .acquiringAndReleasing) }

    /// Updates the record from the origin's latest response.
    ///
    /// - Returns: a snapshot with this record, for work that derives something from its body. Later updates do not change it;
    ///   they make that work outdated.
    package func update(_ record: OriginRecord) -> OriginSnapshot {
        current.withLock { current in
            var record = record
            // Metadata of a body remains valid for that body.
            if record.digest == current.digest {
                record.metadata = TaggedFields.completing(record.metadata, with: current.metadata)
            }
            let saysOther =
                current.digest != record.digest || current.cacheControl != record.cacheControl
                || current.downstreamCacheControl != record.downstreamCacheControl
                || current.lastModified != record.lastModified
                || current.advertisedLifetime != record.advertisedLifetime
            current = record
            let allowance = record.policy.staleAllowance
            whileRevalidating.store(allowance.whileRevalidating ?? Self.unsaid, ordering: .relaxed)
            ifError.store(allowance.ifError ?? Self.unsaid, ordering: .relaxed)
            bornAt.store(record.freshness.bornAt, ordering: .relaxed)
            staleAt.store(record.freshness.staleAt, ordering: .relaxed)
            era.store(record.stamp.era, ordering: .relaxed)
            beganAt.store(record.stamp.beganAt, ordering: .relaxed)
            denied.store(false, ordering: .relaxed)
            if saysOther { currentVersion.add(1, ordering: .acquiringAndReleasing) }
            return OriginSnapshot(state: self, version: version, record: record)
        }
    }

    /// Adds metadata computed from the original's body; the version does not change, since derived objects remain valid.
    ///
    /// - Parameter metadata: tagged fields; existing fields that it lacks are preserved.
    /// - Returns: the updated record; `nil` if the original has another body by now.
    package func learn(metadata: [UInt8], of digest: CacheKey) -> OriginRecord? {
        current.withLock { current in
            guard current.digest == digest else { return nil }
            current.metadata = TaggedFields.completing(metadata, with: current.metadata)
            return current
        }
    }
}

/// A snapshot of an original: its shared state, with the version and record at one moment.
package struct OriginSnapshot: Sendable {
    package let state: OriginState
    /// The value of `OriginState.version`.
    package let version: UInt64
    package var record: OriginRecord
}
