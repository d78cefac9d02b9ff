import HTTPCache

/// Replays a synthetic trace against eviction policies and prints the table of Benchmarks/README.md.
@main
enum CacheReplay {
    private static let capacities = [64, 256, 1024, 4096].map { $0 << 20 }

    static func main() {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000_000
        let trace = Trace(seed: 2026, count: count)
        let keys = trace.sizes.indices.map { CacheKey(hashing: "\($0)") }
        let distinct = Set(trace.requests)
        let footprint = distinct.reduce(0) { $0 + trace.sizes[Int($1)] }
        print(
            "\(count) requests for \(distinct.count) objects of \(footprint >> 20) MiB; hit ratio / byte hit ratio in %"
        )
        print("")
        print("| Policy | " + capacities.map { "\($0 >> 20) MiB" }.joined(separator: " | ") + " |")
        print("|:--|" + capacities.map { _ in "--:|" }.joined())
        row("FIFO") { Replay.run(FirstInFirstOut.self, trace, keys: keys, capacity: $0) }
        row("LRU") { Replay.run(LeastRecentlyUsed.self, trace, keys: keys, capacity: $0) }
        row("W-TinyLFU") { Replay.run(WTinyLFU.self, trace, keys: keys, capacity: $0) }
        row("S3-FIFO") { Replay.run(S3FIFO.self, trace, keys: keys, capacity: $0) }
        row("MemoryCache") { Replay.runCache(trace, keys: keys, capacity: $0) }
        row("optimum, by next use") { capacity in
            var optimum = Optimum(.farthest, capacity: capacity)
            return optimum.replay(trace)
        }
        row("optimum, by next use × size") { capacity in
            var optimum = Optimum(.farthestBySize, capacity: capacity)
            return optimum.replay(trace)
        }
    }

    private static func row(_ name: String, _ replay: (Int) -> Replay) {
        print("| \(name) | " + capacities.map { replay($0).text }.joined(separator: " | ") + " |")
    }
}
