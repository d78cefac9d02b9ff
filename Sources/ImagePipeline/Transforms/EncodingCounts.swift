import ImagePlan
import LinuxSystem

/// Counts of the searches for a quality (`q=auto`) or a format (`auto: smallest`).
///
/// No search begins at what another one has found: its result would depend on which requests came before. Any thread.
package final class EncodingCounts: Sendable {
    /// Counts since the start.
    package struct Statistics: Sendable {
        /// Searches for a quality by the tries that they took, 1 to `mostTries`; what took more counts as `mostTries`.
        package var searches = [UInt64](repeating: 0, count: EncodingCounts.mostTries + 1)
        /// Results whose format was chosen by size.
        package var smallest: UInt64 = 0
    }

    /// The highest number of tries that is counted apart.
    private static let mostTries = 7

    private let state = Lock(Statistics())

    package var statistics: Statistics { state.withLock { $0 } }

    /// Counts a picture that was made by a search.
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
