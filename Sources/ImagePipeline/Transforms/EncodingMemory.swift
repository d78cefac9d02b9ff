import ImagePlan
import LinuxSystem

/// What searches for a quality or a format have found: the next one of the same source, or of the same original, begins with it.
///
/// In memory alone, and bounded; a restart costs each source a few tries more. Any thread.
package final class EncodingMemory: Sendable {
    /// Where a search begins is the middle of so many results: one odd picture does not lead all others astray.
    private static let depth = 9
    /// Sources and formats, and originals and buckets, of a generation; there are two of each.
    private static let mostSources = 1_024
    private static let mostOriginals = 8_192

    private struct Source: Hashable, Sendable {
        var name: String
        var format: ImageFormat
        /// What is aimed at: other distances need other qualities.
        var distance: Int
    }

    private struct Original: Hashable, Sendable {
        var digest: CacheKey
        var bucket: FormatBucket
    }

    private struct State: Sendable {
        var qualities = Generations<Source, [Int]>(capacity: EncodingMemory.mostSources)
        var favourites = Generations<Original, EncodingSearch.Encoding>(capacity: EncodingMemory.mostOriginals)
        var statistics = Statistics()
    }

    /// Counts since the start.
    package struct Statistics: Sendable {
        /// Searches for a quality by the tries that they took, 1 to 4; what took more counts as 4.
        package var searches = [UInt64](repeating: 0, count: 5)
        /// Results whose format was chosen by size, with and without a favourite to begin with.
        package var smallest: UInt64 = 0
        package var favoured: UInt64 = 0
    }

    private let state = Lock(State())

    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// What the search for a variant begins with.
    ///
    /// - Parameter digest: of the original's body.
    func search(for request: VariantRequest, plan: String, digest: CacheKey) -> EncodingSearch {
        let source = request.origin.source
        let takesSmallest = request.bucket != nil && source.autoFormat == .smallest
        guard takesSmallest || Plan.seeksQuality(canonicalText: plan) else { return EncodingSearch() }
        return state.withLock { state in
            var search = EncodingSearch(takesSmallest: takesSmallest)
            for format in EncodingSearch.formats {
                let key = Source(name: source.name, format: format, distance: source.quality.distance)
                guard let recent = state.qualities[key], !recent.isEmpty else { continue }
                search.qualities[format] = recent.sorted()[recent.count / 2]
            }
            if takesSmallest, let bucket = request.bucket {
                search.favourite = state.favourites[Original(digest: digest, bucket: bucket)]
            }
            return search
        }
    }

    /// Remembers what a search has found.
    func learn(_ search: EncodingSearch, _ made: WorkerReply.Output, for request: VariantRequest, digest: CacheKey) {
        guard made.tries > 0 || search.takesSmallest, let format = made.format.image else { return }
        let source = request.origin.source
        state.withLock { state in
            if made.tries > 0, let quality = made.quality {
                let key = Source(name: source.name, format: format, distance: source.quality.distance)
                state.qualities[key] = (state.qualities[key] ?? []).suffix(Self.depth - 1) + [quality]
                state.statistics.searches[min(made.tries, 4)] += 1
            }
            guard search.takesSmallest, let bucket = request.bucket else { return }
            state.statistics.smallest += 1
            if search.favourite != nil { state.statistics.favoured += 1 }
            let encoding = EncodingSearch.Encoding(format, isLossless: made.quality == nil)
            state.favourites[Original(digest: digest, bucket: bucket)] = encoding
        }
    }
}
