import ImagePlan
import LinuxSystem
import Synchronization

/// Counts the searches for a quality (`q=auto`) or a format (`auto: smallest`).
///
/// Searches share no results: a variant must not depend on earlier requests. Any thread.
package final class EncodingCounts: Sendable {
    /// Counts since the start.
    package struct Statistics: Sendable {
        /// Searches for a quality by the number of tries, capped at `mostTries`.
        package var searches = [UInt64](repeating: 0, count: EncodingCounts.mostTries + 1)
        /// Results with a format chosen by size.
        package var smallest: UInt64 = 0
    }

    /// The highest number of tries with its own count.
    private static let mostTries = 7

    private let state = Lock(Statistics())

    package var statistics: Statistics { state.withLock { $0 } }

    /// Counts a result of a search.
    func note(_ made: WorkerReply.Output, of search: EncodingSearch) {
        guard made.tries > 0 || search.takesSmallest, made.format.image != nil else { return }
        state.withLock { statistics in
            if made.tries > 0, made.quality != nil { statistics.searches[min(made.tries, Self.mostTries)] += 1 }
            if search.takesSmallest { statistics.smallest += 1 }
        }
    }
}

extension VariantRequest {
    /// How the worker searches for the variant's encoding.
    var encodingSearch: EncodingSearch {
        EncodingSearch(takesSmallest: bucket != nil && origin.source.autoFormat == .smallest)
    }
}

/// Counts saved decodes and transforms; any thread.
package final class SharingStatistics: Sendable {
    private let made = Atomic<UInt64>(0)
    private let used = Atomic<UInt64>(0)
    private let shared = Atomic<UInt64>(0)
    private let resolved = Atomic<UInt64>(0)

    /// Mezzanines made.
    package var mezzaninesMade: UInt64 { made.load(ordering: .relaxed) }
    /// Variants made from a mezzanine instead of the original.
    package var mezzaninesUsed: UInt64 { used.load(ordering: .relaxed) }
    /// Variants that shared the decode of another variant.
    package var decodesShared: UInt64 { shared.load(ordering: .relaxed) }

    /// Requests that got the result of another request with the same resolved key.
    package var variantsResolved: UInt64 { resolved.load(ordering: .relaxed) }

    func noteMade() { made.add(1, ordering: .relaxed) }
    func noteUsed(_ count: Int) { used.add(UInt64(count), ordering: .relaxed) }
    func noteResolved() { resolved.add(1, ordering: .relaxed) }
    func noteShared(_ count: Int) { shared.add(UInt64(count), ordering: .relaxed) }
}
