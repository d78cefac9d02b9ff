import HTTPCache

/// Hits, misses and bytes of a replay.
struct Replay {
    private(set) var hits = 0
    private(set) var requests = 0
    private(set) var hitBytes = 0
    private(set) var bytes = 0

    mutating func count(isHit: Bool, bytes size: Int) {
        requests += 1
        bytes += size
        if isHit {
            hits += 1
            hitBytes += size
        }
    }

    /// The hit ratio and the byte hit ratio, in percent.
    var text: String { "\(Self.percent(hits, requests)) / \(Self.percent(hitBytes, bytes))" }

    private static func percent(_ part: Int, _ whole: Int) -> String {
        let tenths = (1000 * part + whole / 2) / max(1, whole)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Replays the trace against one shard of the memory cache with this policy, and stores each miss.
    static func run<Policy: EvictionPolicy>(_: Policy.Type, _ trace: Trace, keys: [CacheKey], capacity: Int) -> Replay {
        var result = Replay()
        var shard = MemoryShard<Int32, Policy>(capacity: capacity, largest: capacity / 4)
        var dropped: [Int32] = []
        for object in trace.requests {
            let size = trace.sizes[Int(object)]
            let isHit = shard.value(for: keys[Int(object)]) != nil
            result.count(isHit: isHit, bytes: size)
            guard !isHit else { continue }
            _ = shard.insert(object, for: keys[Int(object)], cost: size, dropped: &dropped)
            dropped.removeAll(keepingCapacity: true)
        }
        return result
    }

    /// Replays the trace against the memory cache as the server uses it: sharded, overhead included.
    static func runCache(_ trace: Trace, keys: [CacheKey], capacity: Int) -> Replay {
        var result = Replay()
        let cache = MemoryCache<Int32>(MemoryCache.Configuration(capacity: capacity))
        for object in trace.requests {
            let size = trace.sizes[Int(object)]
            let isHit = cache.value(for: keys[Int(object)]) != nil
            result.count(isHit: isHit, bytes: size)
            if !isHit { cache.insert(object, for: keys[Int(object)], cost: size) }
        }
        return result
    }
}
