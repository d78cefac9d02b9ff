import HTTPSemantics
import LinuxSystem
import Synchronization

/// The freshness of one original as all its variants in memory see it: one revalidation refreshes them all.
///
/// Read on event loops without a lock, written by stage 5; any thread.
package final class OriginState: Sendable {
    /// The original's key.
    package let key: CacheKey
    /// The name of its source.
    package let source: String
    private let current: Lock<OriginRecord>
    /// The wall-clock second at which age would be zero.
    private let bornAt: Atomic<Int64>
    /// The first wall-clock second at which the original is stale.
    private let staleAt: Atomic<Int64>
    private let currentVersion = Atomic<UInt64>(0)
    /// Seconds of stale use that the origin allows; `unsaid` where it leaves that to the source.
    private let whileRevalidating: Atomic<Int64>
    private let ifError: Atomic<Int64>

    /// Whether the origin has denied it to a client since.
    private let denied = Atomic(false)

    private static let unsaid: Int64 = -1

    /// Creates the state of an original by its record.
    package init(_ record: OriginRecord) {
        let allowance = record.policy.staleAllowance
        key = record.key
        source = record.source
        current = Lock(record)
        bornAt = Atomic(record.freshness.bornAt)
        staleAt = Atomic(record.freshness.staleAt)
        whileRevalidating = Atomic(allowance.whileRevalidating ?? Self.unsaid)
        ifError = Atomic(allowance.ifError ?? Self.unsaid)
    }

    /// What is known of the original now.
    package var record: OriginRecord { current.withLock { $0 } }

    /// The state as it is now, for who makes something of it.
    package var snapshot: OriginSnapshot {
        current.withLock { OriginSnapshot(state: self, version: version, record: $0) }
    }

    /// Changes when an answer made earlier is no longer right: another body, or other words to clients.
    package var version: UInt64 { currentVersion.load(ordering: .acquiring) }

    /// Whether answers may be served without asking the origin (RFC 9111 §4.2).
    package func isFresh(at now: Int64) -> Bool { now < staleAt.load(ordering: .relaxed) }

    /// Seconds for which answers may still be served without asking the origin; negative once they are stale.
    package func freshSeconds(at now: Int64) -> Int64 {
        let (seconds, overflow) = staleAt.load(ordering: .relaxed).subtractingReportingOverflow(now)
        return overflow ? .max : seconds
    }

    /// Whether a stale answer may be served while the origin is asked (RFC 5861 §3).
    ///
    /// - Parameter seconds: the source's word, which counts where the origin says nothing.
    package func isUsableWhileRevalidating(at now: Int64, default seconds: Int64) -> Bool {
        allows(whileRevalidating.load(ordering: .relaxed), at: now, else: seconds)
    }

    /// Whether a stale answer may be served where the origin cannot be asked (RFC 5861 §4).
    ///
    /// - Parameter seconds: the source's word, which counts where the origin says nothing.
    package func isUsableIfError(at now: Int64, default seconds: Int64) -> Bool {
        allows(ifError.load(ordering: .relaxed), at: now, else: seconds)
    }

    /// Whether the origin forbids any stale use (RFC 9111 §4.2.4).
    package var forbidsStale: Bool {
        ifError.load(ordering: .relaxed) == 0 && whileRevalidating.load(ordering: .relaxed) == 0
    }

    private func allows(_ stated: Int64, at now: Int64, else seconds: Int64) -> Bool {
        -freshSeconds(at: now) < (stated == Self.unsaid ? seconds : stated) && !needsValidation
    }

    /// The `Age` of answers now, in seconds (RFC 9111 §4.2.3).
    package func age(at now: Int64) -> Int64 { max(0, now &- bornAt.load(ordering: .relaxed)) }

    /// Whether no stale answer may be served before the origin has confirmed it.
    package var needsValidation: Bool { denied.load(ordering: .relaxed) }

    /// Lets no stale answer be served until the origin is heard again: it has denied the original to a client.
    package func requireValidation() { denied.store(true, ordering: .relaxed) }

    /// What decides whether answers may be reused.
    ///
    /// - Parameter seconds: the source's `stale-while-revalidate`, which counts where the origin says nothing.
    package func terms(staleWhileRevalidate seconds: Int64, at now: Int64) -> ReuseTerms {
        let stated = whileRevalidating.load(ordering: .relaxed)
        return ReuseTerms(
            age: age(at: now),
            left: freshSeconds(at: now),
            forbidsStale: forbidsStale || needsValidation,
            staleWhileRevalidate: needsValidation ? 0 : stated == Self.unsaid ? seconds : stated
        )
    }

    /// Lets answers count as stale from a second on, unless they do already.
    package func expire(at now: Int64) {
        current.withLock { current in
            current.expire(at: now)
            staleAt.store(current.freshness.staleAt, ordering: .relaxed)
        }
    }

    /// Lets no answer made so far be served again.
    package func retire() { currentVersion.add(1, ordering: .acquiringAndReleasing) }

    /// Takes what the origin said last.
    ///
    /// - Returns: the state as this answer has made it, for who makes something of its body: the record is this one, whatever is
    ///   said through others meanwhile, and then what is made counts as outdated.
    package func update(_ record: OriginRecord) -> OriginSnapshot {
        current.withLock { current in
            var record = record
            // What is known of a body stays true of it.
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
            denied.store(false, ordering: .relaxed)
            if saysOther { currentVersion.add(1, ordering: .acquiringAndReleasing) }
            return OriginSnapshot(state: self, version: version, record: record)
        }
    }

    /// Takes what has been computed of the original's bytes, which changes no version: what was made stays right.
    ///
    /// - Parameter metadata: tagged fields; those that it lacks stay as they are.
    /// - Returns: the record as it is now; `nil` where the original has other bytes by now.
    package func learn(metadata: [UInt8], of digest: CacheKey) -> OriginRecord? {
        current.withLock { current in
            guard current.digest == digest else { return nil }
            current.metadata = TaggedFields.completing(metadata, with: current.metadata)
            return current
        }
    }
}
