import Synchronization

/// How much decoding was saved; any thread.
package final class SharingStatistics: Sendable {
    private let made = Atomic<UInt64>(0)
    private let used = Atomic<UInt64>(0)
    private let shared = Atomic<UInt64>(0)

    /// Mezzanines that were made.
    package var mezzaninesMade: UInt64 { made.load(ordering: .relaxed) }
    /// Variants that were made from a mezzanine in place of the original.
    package var mezzaninesUsed: UInt64 { used.load(ordering: .relaxed) }
    /// Variants that shared another's decoding.
    package var decodesShared: UInt64 { shared.load(ordering: .relaxed) }

    func noteMade() { made.add(1, ordering: .relaxed) }
    func noteUsed(_ count: Int) { used.add(UInt64(count), ordering: .relaxed) }
    func noteShared(_ count: Int) { shared.add(UInt64(count), ordering: .relaxed) }
}
