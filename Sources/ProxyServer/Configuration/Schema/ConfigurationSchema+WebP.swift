import ImagePlan

extension ConfigurationSchema {
    /// libwebp's options, named as SDWebImageWebPCoder names them.
    static let webp: [Setting<Configuration>] = [
        option("method", \.method, 0...6, "Effort where a request names none: 0 is fast, 6 is small."),
        option("pass", \.pass, 1...10, "Entropy analysis passes."),
        option(
            "preprocessing",
            \.preprocessing,
            0...7,
            "Sum of 1 (segment-smooth), 2 (dithering) and 4 (as use-sharp-yuv)."
        ),
        .fixed("webp.thread-level", .count(0...1), 0, "Always 0: each core has a worker of its own."),
        flag("low-memory", \.lowMemory, "Whether to take less memory and more time."),
        option("segments", \.segments, 1...4, "Most segments."),
        option("sns-strength", \.snsStrength, 0...100, "Spatial noise shaping."),
        option("filter-strength", \.filterStrength, 0...100, "Deblocking."),
        option("filter-sharpness", \.filterSharpness, 0...7, "0 is the sharpest."),
        option("filter-type", \.filterType, 0...1, "0 simple, 1 strong."),
        flag("autofilter", \.autofilter, "Whether the filter's strength is found by trying; slow."),
        option("alpha-compression", \.alphaCompression, 0...1, "0 none, 1 as lossless WebP."),
        option("alpha-filtering", \.alphaFiltering, 0...2, "0 none, 1 fast, 2 best."),
        option("alpha-quality", \.alphaQuality, 0...100, "Where a request names no alpha_q; 100 loses nothing."),
        option("partitions", \.partitions, 0...3, "Binary logarithm of the token partitions."),
        option("partition-limit", \.partitionLimit, 0...100, "Quality that may be lost for small prediction modes."),
        flag("use-sharp-yuv", \.useSharpYUV, "Whether colours are subsampled with care for edges; slow."),
        option("near-lossless", \.nearLossless, 0...100, "For lossless files: 100 is off, 0 loses most."),
        flag("exact", \.exact, "Whether colours under full transparency are kept."),
        option("target-psnr", \.targetPSNR, 0...99, "Decibels to reach instead of a quality; 0 for none."),
        flag("lossless", \.lossless, "Whether WebP is lossless where a request names no q."),
    ]

    private static func option(
        _ name: String,
        _ path: any WritableKeyPath<WebPOptions, Int> & Sendable,
        _ range: ClosedRange<Int>,
        _ summary: String
    ) -> Setting<Configuration> {
        Setting("webp.\(name)", in: \.quality.webpOptions, path, .count(range), summary)
    }

    private static func flag(
        _ name: String,
        _ path: any WritableKeyPath<WebPOptions, Bool> & Sendable,
        _ summary: String
    ) -> Setting<Configuration> {
        Setting("webp.\(name)", in: \.quality.webpOptions, path, .flag, summary)
    }
}
