/// A purge as the writer does it: in steps, with other writes in between.
///
/// Writer's thread only.
final class DiskSweep {
    let purge: Purge
    /// Who waits to hear that it is done for good.
    let completion: (@Sendable (PurgeCounts) -> Void)?
    /// What has gone, or is stale now.
    var counts = PurgeCounts()
    /// Whether the first step has been begun.
    var isBegun = false
    /// What is still to be gone through.
    var origins: [DiskIndex.OriginWalk]
    var variants: [DiskIndex.VariantWalk]
    /// Originals, or variants where it is about a preset's, that were stored after the purge was asked for: they stay.
    var spared: Set<CacheKey> = []

    /// Whether more was stored meanwhile than is remembered: then it is done without pausing.
    var isCrowded: Bool { spared.count >= 65_536 }

    init(_ purge: Purge, completion: (@Sendable (PurgeCounts) -> Void)?) {
        self.purge = purge
        self.completion = completion
        origins = DiskIndex.walks(purge.selection)
        if case .preset(let pattern) = purge.selection {
            variants = [DiskIndex.VariantWalk(pattern)]
        } else {
            variants = []
        }
    }
}
