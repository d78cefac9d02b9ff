/// libwebp's options, set by the operator (`webp` in the configuration; SDWebImageWebPCoder's `SDImageCoderEncodeWebP…`).
///
/// The settings of a request (`effort`, `lossless`, `near_lossless`, `sharp_yuv`, `alpha_q`) take precedence. There is no thread
/// option: a worker has one thread, and each core has its worker.
package struct WebPOptions: Hashable, Sendable {
    /// The effort for requests without one, 0 (fastest) to 6 (smallest file).
    package var method = 4
    /// Entropy analysis passes, 1–10.
    package var pass = 1
    /// A bit set, 0–7: 1 segment smoothing, 2 pseudo-random dithering, 4 as `useSharpYUV`.
    package var preprocessing = 0
    /// Whether to use less memory and more time.
    package var lowMemory = false
    /// The maximum number of segments, 1–4.
    package var segments = 4
    /// Spatial noise shaping, 0–100.
    package var snsStrength = 50
    /// The deblocking strength, 0–100.
    package var filterStrength = 60
    /// The deblocking sharpness, 0 (sharpest) to 7.
    package var filterSharpness = 7
    /// The deblocking filter: 0 simple, 1 strong.
    package var filterType = 1
    /// Whether libwebp searches for the filter strength.
    package var autofilter = false
    /// The compression of the alpha plane: 0 none, 1 lossless WebP.
    package var alphaCompression = 1
    /// The predictive filter of the alpha plane: 0 none, 1 fast, 2 best.
    package var alphaFiltering = 1
    /// The quality of the alpha plane, 0–100; 100 is lossless.
    package var alphaQuality = 100
    /// The base-2 logarithm of the number of token partitions, 0–3.
    package var partitions = 0
    /// The permitted quality loss, 0–100, to keep prediction modes within 512 KiB.
    package var partitionLimit = 0
    /// Whether to use the sharper, slower RGB to YUV conversion.
    package var useSharpYUV = false
    /// The near-lossless level of lossless files, 0 (most loss) to 100 (off).
    package var nearLossless = 100
    /// Whether to keep the colours of fully transparent pixels.
    package var exact = false
    /// The PSNR to aim for instead of a quality, in decibels, 0–99; 0 for none.
    package var targetPSNR = 0
    /// Whether results are lossless for requests without `q`.
    package var lossless = false

    /// Creates libwebp's defaults, except for the effort (Benchmarks/README.md).
    package init() {}

    /// The numeric options with their ranges (`WebPValidateConfig`), in wire order.
    package static let numbers: [(path: any WritableKeyPath<WebPOptions, Int> & Sendable, range: ClosedRange<Int>)] = [
        (\.method, 0...6), (\.pass, 1...10), (\.preprocessing, 0...7), (\.segments, 1...4), (\.snsStrength, 0...100),
        (\.filterStrength, 0...100), (\.filterSharpness, 0...7), (\.filterType, 0...1), (\.alphaCompression, 0...1),
        (\.alphaFiltering, 0...2), (\.alphaQuality, 0...100), (\.partitions, 0...3), (\.partitionLimit, 0...100),
        (\.nearLossless, 0...100), (\.targetPSNR, 0...99),
    ]

    static let flags: [any WritableKeyPath<WebPOptions, Bool> & Sendable] = [
        \.lowMemory, \.autofilter, \.useSharpYUV, \.exact, \.lossless,
    ]

    /// The canonical text for cache keys; empty for the defaults.
    package var keyText: String {
        guard self != WebPOptions() else { return "" }
        let numbers = Self.numbers.map { String(self[keyPath: $0.path]) }
        let flags = Self.flags.map { self[keyPath: $0] ? "1" : "0" }
        return (numbers + flags).joined(separator: ",")
    }
}
