import ImagePlan

extension ConfigurationSchema {
    /// libwebp's options, named as SDWebImageWebPCoder names them.
    static let webp: [Setting<Configuration>] = [
        option("method", \.method, 0...6, "Default effort, 0 (fast) to 6 (small)."),
        option("pass", \.pass, 1...10, "Entropy analysis passes."),
        option(
            "preprocessing",
            \.preprocessing,
            0...7,
            "Sum of 1 (segment-smooth), 2 (dithering) and 4 (as use-sharp-yuv)."
        ),
        .fixed("webp.thread-level", .count(0...1), 0, "Always 0: each core has its own worker."),
        flag("low-memory", \.lowMemory, "Use less memory and more time."),
        option("segments", \.segments, 1...4, "Maximum segments."),
        option("sns-strength", \.snsStrength, 0...100, "Spatial noise shaping."),
        option("filter-strength", \.filterStrength, 0...100, "Deblocking filter strength."),
        option("filter-sharpness", \.filterSharpness, 0...7, "Deblocking filter sharpness, 0 (sharpest) to 7."),
        option("filter-type", \.filterType, 0...1, "Deblocking filter: 0 simple, 1 strong."),
        flag("autofilter", \.autofilter, "Find the filter's strength by trial; slow."),
        option("alpha-compression", \.alphaCompression, 0...1, "Alpha compression: 0 none, 1 as lossless WebP."),
        option("alpha-filtering", \.alphaFiltering, 0...2, "Alpha prediction filter: 0 none, 1 fast, 2 best."),
        option("alpha-quality", \.alphaQuality, 0...100, "Default alpha_q; 100 is lossless."),
        option("partitions", \.partitions, 0...3, "log2 of the number of token partitions."),
        option(
            "partition-limit",
            \.partitionLimit,
            0...100,
            "Quality that may be given up for small prediction modes."
        ),
        flag("use-sharp-yuv", \.useSharpYUV, "Use the sharper RGB to YUV conversion; slow."),
        option(
            "near-lossless",
            \.nearLossless,
            0...100,
            "Near-lossless level of lossless files, 0 (most loss) to 100 (off)."
        ),
        flag("exact", \.exact, "Keep the colours of fully transparent pixels."),
        option("target-psnr", \.targetPSNR, 0...99, "PSNR to reach instead of a quality, in dB; 0 for none."),
        flag("lossless", \.lossless, "Encode losslessly if the request names no q."),
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
