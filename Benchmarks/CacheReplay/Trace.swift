import Glibc

/// A synthetic trace of an image proxy's requests; the same seed gives the same requests.
struct Trace {
    /// The requested objects, in order.
    private(set) var requests: [Int32] = []
    /// Bytes of each object: log-normal, median 24 kB, σ 1.2, between 1 kB and 1 MB.
    private(set) var sizes: [Int] = []

    private var random: SplitMix
    /// The object at each rank of popularity.
    private var ranked: [Int32] = []
    private let cumulated: [Double]

    /// Generates a trace.
    ///
    /// - Parameters:
    ///   - catalogue: the number of images with Zipf popularity at any time.
    ///   - once: the share of requests for objects that are never requested again.
    ///   - drift: the number of images of the catalogue that are replaced per thousand requests, at log-uniform ranks.
    ///   - scan: the number of images of the catalogue that a crawler requests in sequence within every `period` requests.
    init(
        seed: UInt64,
        count: Int,
        catalogue: Int = 100_000,
        exponent: Double = 0.9,
        once: Double = 0.15,
        drift: Int = 10,
        scan: Int = 10_000,
        period: Int = 100_000
    ) {
        random = SplitMix(state: seed)
        var sum = 0.0
        cumulated = (1...catalogue).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        ranked = (0..<catalogue).map { _ in -1 }
        for rank in 0..<catalogue { ranked[rank] = newObject() }
        var crawl = ranked[...]
        requests.reserveCapacity(count)
        while requests.count < count {
            let phase = requests.count % period
            if phase == 0 { crawl = ranked.shuffled(using: &random).prefix(scan) }
            if requests.count.isMultiple(of: 1000) { replace(drift) }
            // The crawler makes every second request while it runs.
            if phase > period / 2, phase.isMultiple(of: 2), let object = crawl.popFirst() {
                requests.append(object)
            } else {
                requests.append(random.unit() < once ? newObject() : popular())
            }
        }
    }

    private mutating func replace(_ count: Int) {
        for _ in 0..<count {
            let rank = Int(pow(Double(ranked.count), random.unit())) - 1
            ranked[rank] = newObject()
        }
    }

    private mutating func popular() -> Int32 {
        let wanted = random.unit() * (cumulated.last ?? 0)
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return ranked[low]
    }

    private mutating func newObject() -> Int32 {
        // Box–Muller transform.
        let normal = sqrt(-2 * log(max(random.unit(), 1e-12))) * cos(2 * .pi * random.unit())
        sizes.append(min(1_000_000, max(1_000, Int(24_000 * exp(1.2 * normal)))))
        return Int32(sizes.count - 1)
    }
}

/// SplitMix64, a small deterministic generator (Steele et al., 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A uniform number in 0..<1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
