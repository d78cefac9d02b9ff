/// Counts what a check finds, and passes it on; confined to the check's thread.
final class DiskCheckTally {
    var result = DiskCheckResult()
    var progress = DiskCheckProgress()
    private let listener: DiskCheck.Listener

    /// Creates a tally of nothing.
    init(_ listener: DiskCheck.Listener) {
        self.listener = listener
    }

    /// Something was found.
    func count(_ damage: DiskDamage, isRepaired: Bool) {
        result.found[damage.kind, default: 0] += 1
        if isRepaired { result.repaired += 1 }
        listener.found(damage, isRepaired)
    }

    /// An entry's file was looked at.
    func look(at bytes: Int) {
        progress.entries += 1
        progress.bytes += bytes
        listener.progress(progress)
    }

    /// What is stored.
    func note(_ totals: DiskTotals) {
        result.originals.entries = totals[.originals].entries
        result.originals.bytes = totals[.originals].bytes
        result.variants.entries = totals[.variants].entries
        result.variants.bytes = totals[.variants].bytes
    }
}

extension DiskCare {
    /// The care of a check.
    init(_ tally: DiskCheckTally, repairs: Bool) {
        self.init(
            repairs: repairs,
            isThorough: true,
            readsBodies: true,
            report: { damage, isRepaired in tally.count(damage, isRepaired: isRepaired) },
            looked: { bytes in tally.look(at: bytes) }
        )
    }
}
