import HTTPCache
import ImagePipeline
import LinuxSystem

/// What each source has in memory and on disk, counted now and then while a page is open; any thread.
///
/// Counting takes time in proportion to the number of entries, so it runs on the read lane, and at most a hundredth of the time.
final class StoredUse: Sendable {
    /// The counts of one source, by its full name.
    struct Source: Hashable, Sendable {
        var name: String
        /// Images and raw responses in memory.
        var memory = TierUse()
        var originals = TierUse()
        var variants = TierUse()

        var bytes: Int { memory.bytes + originals.bytes + variants.bytes }
    }

    private struct State {
        /// `nil` before the first count.
        var sources: [Source]?
        /// When the next count may begin, in monotonic nanoseconds.
        var next: Int64 = .min
        var isCounting = false
    }

    private static let shortestInterval: Int64 = 5_000_000_000
    /// The share of the time that counting may take, as a divisor.
    private static let share: Int64 = 100

    private let memory: MemoryCache<Entity>
    private let raw: RawCache
    private let store: DiskStore
    private let pipeline: Pipeline
    private let hasDisk: Bool
    private let time: any TimeSource
    private let state = Lock(State())

    init(_ reader: StatisticsReader) {
        memory = reader.memory
        raw = reader.raw
        store = reader.store
        pipeline = reader.pipeline
        hasDisk = reader.live.current.cache.hasDisk
        time = reader.time
    }

    /// The last counts, those with the most bytes first; `nil` before the first.
    ///
    /// Begins another count if one is due.
    func current() -> [Source]? {
        let now = time.monotonic
        let (sources, isDue) = state.withLock { state -> ([Source]?, Bool) in
            let isDue = !state.isCounting && now >= state.next
            if isDue { state.isCounting = true }
            return (state.sources, isDue)
        }
        if isDue, !pipeline.submit({ [self] in count() }) { state.withLock { $0.isCounting = false } }
        return sources
    }

    /// Counts; blocks.
    private func count() {
        let start = time.monotonic
        var sources: [String: Source] = [:]
        for (name, use) in memory.use(by: \.origin.source).merging(raw.useBySource, uniquingKeysWith: Self.sum) {
            sources[name, default: Source(name: name)].memory = use
        }
        let disk = store.useBySource()
        for use in disk ?? [] {
            sources[use.source, default: Source(name: use.source)].originals = use.originals
            sources[use.source, default: Source(name: use.source)].variants = use.variants
        }
        let sorted = sources.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
        let end = time.monotonic
        state.withLock { state in
            // Without the index, which is being opened or repaired, the counts before are nearer to the truth.
            if disk != nil || !hasDisk { state.sources = sorted }
            state.next = end + max(Self.shortestInterval, (end - start) * Self.share)
            state.isCounting = false
        }
    }

    private static func sum(_ left: TierUse, _ right: TierUse) -> TierUse {
        var sum = left
        sum.add(right.entries, right.bytes)
        return sum
    }
}
