import HTTPCache
import ImagePipeline
import ImagePlan

/// A cache of given sizes, without contents: its memory tier with the eviction policy of the daemon, and the two pools of its disk.
final class SimulatedCache {
    /// The sizes of a cache.
    struct Sizes: Hashable, Sendable {
        /// Bytes of the memory tier for images.
        var pictures: Int
        /// Bytes of the memory tier for responses of raw sources.
        var raw: Int
        /// The disk quota of originals.
        var originals: Int
        /// The disk quota of variants.
        var variants: Int
    }

    /// A request for a response of known length.
    struct Request {
        var response: ReplayCatalogue.Response
        var kind: ReplayTarget.Kind
        var source: ReplaySource
        var length: Int
        var originalLength: Int
        /// Seconds since 1970; 0 if unknown.
        var seconds: Int64
    }

    /// Where a request is answered from; the cases are those of `RequestResult`.
    enum Answer: Int, CaseIterable, Sendable {
        case memory, disk, original, miss
    }

    /// Requests and bytes of bodies, at most `Int.max`: a log may state any number.
    struct Count: Hashable, Sendable {
        var requests = 0
        var bytes = 0

        /// Adds requests and their bytes.
        mutating func add(_ requests: Int, _ bytes: Int) {
            self.requests += requests
            self.bytes = self.bytes.addingSaturated(bytes)
        }
    }

    let sizes: Sizes
    private(set) var counts = [Count](repeating: Count(), count: Answer.allCases.count)
    private(set) var originals: SimulatedPool
    private(set) var variants: SimulatedPool
    private let pictures: MemoryCache<Int32>
    private let raw: MemoryCache<Int32>
    /// When a use of a response in memory was last reported to the disk; `.min` for never.
    private var notedUses: [Int64] = []

    /// Bytes of an entry in memory beside its body: an average of its header fields, and what `Entity` and `RawEntry` add.
    private static let bookkeeping = 1_000
    /// The largest body in memory (`PipelineParts.Limits`).
    private static let largestInMemory = 1 << 20
    /// Seconds between two reports of uses of an entry in memory (`Entity`).
    private static let useInterval: Int64 = 60

    init(_ sizes: Sizes) {
        self.sizes = sizes
        originals = SimulatedPool(quota: sizes.originals)
        variants = SimulatedPool(quota: sizes.variants)
        pictures = MemoryCache(MemoryCache<Int32>.Configuration(capacity: sizes.pictures))
        raw = MemoryCache(MemoryCache<Int32>.Configuration(capacity: sizes.raw))
    }

    /// Answers a request, and stores what the daemon would store.
    ///
    /// - Parameter isCounted: whether it belongs to the result.
    func answer(_ request: Request, isCounted: Bool) {
        let answer = find(request)
        if answer != .memory { remember(request) }
        guard isCounted else { return }
        counts[answer.rawValue].add(1, request.length)
    }

    private func find(_ request: Request) -> Answer {
        let (response, original) = (request.response.number, request.response.original)
        let memory = request.kind == .raw ? raw : pictures
        if memory.value(for: request.response.key) != nil {
            noteUse(request)
            return .memory
        }
        if request.kind == .variant {
            if variants.contains(response) {
                variants.use(response)
                return .disk
            }
            let isKept = originals.contains(original)
            if isKept {
                originals.use(original)
            } else {
                storeOriginal(request)
            }
            if request.source.tiers.variants.keepOnDisk { variants.store(response, length: request.length) }
            return isKept ? .original : .miss
        }
        if originals.contains(original) {
            originals.use(original)
            return .disk
        }
        storeOriginal(request)
        return .miss
    }

    private func storeOriginal(_ request: Request) {
        guard !request.source.isFolder, request.source.tiers.originals.keepOnDisk else { return }
        originals.store(request.response.original, length: request.originalLength)
    }

    /// Reports a use of an entry in memory to the disk, as often as the daemon does.
    private func noteUse(_ request: Request) {
        let (response, original) = (request.response.number, request.response.original)
        guard request.kind != .raw else { return originals.use(original) }
        let noted = notedUses[Int(response)]
        guard noted == .min || request.seconds - noted >= Self.useInterval else { return }
        notedUses[Int(response)] = request.seconds
        if request.kind == .original { originals.use(original) } else { variants.use(response) }
    }

    private func remember(_ request: Request) {
        let tiers = request.kind == .variant ? request.source.tiers.variants : request.source.tiers.originals
        let memory = request.kind == .raw ? raw : pictures
        let response = Int(request.response.number)
        while notedUses.count <= response { notedUses.append(.min) }
        notedUses[response] = .min
        guard tiers.keepInMemory, request.length <= min(Self.largestInMemory, memory.largestCost) else { return }
        memory.insert(
            request.response.number,
            for: request.response.key,
            cost: request.length + Self.bookkeeping
        )
    }
}

extension SimulatedCache {
    /// All counted requests.
    var total: Count {
        counts.reduce(into: Count()) { sum, count in sum.add(count.requests, count.bytes) }
    }

    subscript(answer: Answer) -> Count { counts[answer.rawValue] }

    /// The share of requests that needed no origin, 0–1, as `edgeprint stats` computes it; `nil` without requests.
    var hitRatio: Double? {
        let total = total.requests
        return total == 0 ? nil : Double(total - self[.miss].requests) / Double(total)
    }

    /// The share of bytes that needed no origin, 0–1; `nil` without bytes.
    var byteHitRatio: Double? {
        let total = total.bytes
        return total == 0 ? nil : Double(total - self[.miss].bytes) / Double(total)
    }

    /// The share of requests with an answer, 0–1.
    func share(of answer: Answer) -> Double {
        Double(self[answer].requests) / Double(max(1, total.requests))
    }
}
