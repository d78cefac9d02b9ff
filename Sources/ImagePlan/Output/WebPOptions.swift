/// libwebp's own options, set by the operator (`webp` in the configuration; SDWebImageWebPCoder's `SDImageCoderEncodeWebP…`).
///
/// A request's settings (`effort`, `lossless`, `near_lossless`, `sharp_yuv`, `alpha_q`) go before. Threads are no option: a worker
/// has one, and each core has its worker.
package struct WebPOptions: Hashable, Sendable {
    /// Effort, 0 (fast) to 6 (small), where a request names none.
    package var method = 2
    /// Entropy analysis passes, 1–10.
    package var pass = 1
    /// Bits: 1 segment-smooth, 2 pseudo-random dithering, 4 as `useSharpYUV`; 0–7.
    package var preprocessing = 0
    /// Whether to take less memory and more time.
    package var lowMemory = false
    /// Most segments, 1–4.
    package var segments = 4
    /// Spatial noise shaping, 0–100.
    package var snsStrength = 50
    /// Deblocking, 0–100.
    package var filterStrength = 60
    /// 0 (sharpest) to 7.
    package var filterSharpness = 0
    /// 0 simple, 1 strong.
    package var filterType = 1
    /// Whether the filter's strength is found by trying.
    package var autofilter = false
    /// 0 none, 1 as lossless WebP.
    package var alphaCompression = 1
    /// 0 none, 1 fast, 2 best.
    package var alphaFiltering = 1
    /// 0–100; 100 loses nothing.
    package var alphaQuality = 100
    /// Binary logarithm of the token partitions, 0–3.
    package var partitions = 0
    /// Quality that may be lost to stay within 512 KiB of prediction modes, 0–100.
    package var partitionLimit = 0
    /// Whether colours are subsampled with care for edges.
    package var useSharpYUV = false
    /// 0 (most loss) to 100 (off), in lossless files.
    package var nearLossless = 100
    /// Whether colours under full transparency are kept.
    package var exact = false
    /// Decibels to reach instead of a quality, 0–99; 0 for none.
    package var targetPSNR = 0
    /// Whether results are lossless where a request names no `q`.
    package var lossless = false

    /// libwebp's defaults, but for the effort (Benchmarks/README.md).
    package init() {}

    /// The numbers with their ranges (`WebPValidateConfig`), in the order in which they travel.
    package static let numbers: [(path: any WritableKeyPath<WebPOptions, Int> & Sendable, range: ClosedRange<Int>)] = [
        (\.method, 0...6), (\.pass, 1...10), (\.preprocessing, 0...7), (\.segments, 1...4), (\.snsStrength, 0...100),
        (\.filterStrength, 0...100), (\.filterSharpness, 0...7), (\.filterType, 0...1), (\.alphaCompression, 0...1),
        (\.alphaFiltering, 0...2), (\.alphaQuality, 0...100), (\.partitions, 0...3), (\.partitionLimit, 0...100),
        (\.nearLossless, 0...100), (\.targetPSNR, 0...99),
    ]

    static let flags: [any WritableKeyPath<WebPOptions, Bool> & Sendable] = [
        \.lowMemory, \.autofilter, \.useSharpYUV, \.exact, \.lossless,
    ]

    /// One spelling a set of options, for cache keys; empty for the defaults.
    package var keyText: String {
        guard self != WebPOptions() else { return "" }
        let numbers = Self.numbers.map { String(self[keyPath: $0.path]) }
        let flags = Self.flags.map { self[keyPath: $0] ? "1" : "0" }
        return (numbers + flags).joined(separator: ",")
    }
}

extension WebPOptions {
    /// Whether every number is in its range.
    package var isValid: Bool { Self.numbers.allSatisfy { $0.range.contains(self[keyPath: $0.path]) } }
}
