import Cluster
import HTTPCache
import ImagePipeline
import LinuxSystem
import Logging
import Synchronization

/// Applies the purges of the log to this node's caches.
///
/// Called on the follower's thread.
final class ClusterNode: LogFollowing {
    private let pipeline: Pipeline
    private let raw: RawProxy<OriginRequest>
    private let store: DiskStore
    private let progress: PurgeProgress
    private let time: any TimeSource
    private let logger: Logger
    /// What each purge has removed here.
    let outcomes = PurgeOutcomes()
    private let isStopped = Monitor(false)
    /// Whether the event log says that the node is out of touch.
    private let isLost = Atomic(false)
    /// Attempts to apply a purge.
    private static let attempts = 200
    /// Nanoseconds between them, and between two checks whether to stop.
    private static let pause: Int64 = 10_000_000

    /// Creates what applies purges.
    init(
        _ pipeline: Pipeline,
        _ raw: RawProxy<OriginRequest>,
        _ store: DiskStore,
        _ progress: PurgeProgress,
        time: any TimeSource,
        logger: Logger
    ) {
        (self.pipeline, self.raw, self.store, self.progress) = (pipeline, raw, store, progress)
        (self.time, self.logger) = (time, logger)
    }

    /// Where this node was; waits for the folder that a predecessor is about to release.
    var place: LogPlace? {
        while !store.waitForFolder(nanoseconds: Self.pause) {
            if isStopped.withLock({ $0 }) { return nil }
        }
        guard let position = store.position else { return nil }
        // A successor has created its caches before it could read the position, and its predecessor has applied the purges up to it.
        pipeline.resume(position, beside: raw.detachFlights)
        outcomes.passOver(upTo: UInt64(clamping: position.place.sequence))
        return LogPlace(text: position.place.mark)
    }

    func apply(_ entry: LogEntry) {
        let purge = purge(of: entry)
        for _ in 0..<Self.attempts {
            let isApplied = pipeline.apply(purge, at: PurgePlace(entry.place), beside: raw.purge) { [outcomes] counts in
                outcomes.finish(entry.sequence, counts)
            }
            if isApplied { return }
            // The disk's queue of purges may be full for a moment. Meanwhile the node makes no heartbeats.
            if isStopped.wait(nanoseconds: Self.pause, until: { $0 ? () : nil }) != nil {
                // The purge is in the log, from which the next process applies it. Its request must not wait any longer.
                return outcomes.passOver(upTo: entry.sequence)
            }
            guard store.isOpen else { break }
        }
        // A folder that cannot be used must not keep the node out of touch: what it may still have is of an earlier era.
        pipeline.raiseFloor(to: PurgePlace(entry.place), beside: raw.detachFlights)
        outcomes.passOver(upTo: entry.sequence)
        let isReleased = !store.isOpen && store.health == .healthy
        logger.log(
            level: isReleased ? .debug : .error,
            "the disk takes no purges; what is stored is revalidated once",
            metadata: ["sequence": "\(entry.sequence)"]
        )
    }

    private func purge(of entry: LogEntry) -> Purge {
        // The entry that opens a log.
        guard !entry.payload.isEmpty else { return Purge(.originals([])) }
        let decoded = PurgeEntry.decode(entry.payload, now: time.wallSeconds)
        if let problem = decoded.problem {
            logger.error(
                "a purge of another node cannot be read; everything is purged instead",
                metadata: ["sequence": "\(entry.sequence)", "problem": "\(problem)"]
            )
        }
        return decoded.purge
    }

    func gap(_ gap: LogGap, continuingAt place: LogPlace) {
        pipeline.raiseFloor(to: PurgePlace(place), beside: raw.detachFlights)
        outcomes.passOver(upTo: place.sequence)
        logger.notice(
            "purges may have been missed; what is stored is revalidated once",
            metadata: ["reason": "\(gap.rawValue)", "sequence": "\(place.sequence)"]
        )
    }

    func inTouch(until deadline: UInt64) {
        let wasInTouch = progress.isInTouch
        progress.stayInTouch(until: Int64(clamping: deadline))
        guard !wasInTouch, progress.isInTouch else { return }
        isLost.store(false, ordering: .relaxed)
        logger.notice("in touch with the log of purges")
    }

    func failed(_ error: LogError) {
        guard !progress.isInTouch, !isLost.exchange(true, ordering: .relaxed) else { return }
        logger.warning("out of touch with the log of purges", metadata: ["reason": "\(error)"])
    }

    /// Ends the wait for the disk.
    func stop() { isStopped.update { $0 = true } }
}

extension PurgePlace {
    /// A place in the log, as the caches store it.
    init(_ place: LogPlace) { self.init(sequence: Int64(clamping: place.sequence), mark: place.text) }
}
