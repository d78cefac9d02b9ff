import CWebP
import ImagePlan

/// Builds libwebp's configuration from a request's settings and the operator's options.
enum WebPConfiguration {
    /// The least passes of a search for a size, as in cwebp.
    private static let searchPasses: CInt = 6

    /// Returns a valid configuration.
    ///
    /// - Throws: `WorkerReply.Failure.worker` if libwebp's version differs from its headers or libwebp rejects a value.
    static func make(_ options: EncodingOptions, targetBytes: Int?) throws(WorkerReply.Failure) -> WebPConfig {
        var result = WebPConfig()
        guard unsafe WebPConfigInit(&result) != 0 else { throw .worker("libwebp's version differs from its headers") }
        let webp = options.webp
        if options.isLossless {
            // Sets method and quality, which means effort in lossless files, from one scale of 0 to 9.
            unsafe WebPConfigLosslessPreset(&result, options.effort(in: 0...9, standard: webp.method))
            result.near_lossless = CInt(options.settings.nearLossless ?? webp.nearLossless)
        } else {
            result.quality = Float(options.quality)
            result.method = options.effort(in: 0...6, standard: webp.method)
        }
        result.pass = CInt(webp.pass)
        result.preprocessing = CInt(webp.preprocessing)
        result.thread_level = 0
        result.low_memory = webp.lowMemory ? 1 : 0
        result.segments = CInt(webp.segments)
        result.sns_strength = CInt(webp.snsStrength)
        result.filter_strength = CInt(webp.filterStrength)
        result.filter_sharpness = CInt(webp.filterSharpness)
        result.filter_type = CInt(webp.filterType)
        result.autofilter = webp.autofilter ? 1 : 0
        result.alpha_compression = CInt(webp.alphaCompression)
        result.alpha_filtering = CInt(webp.alphaFiltering)
        result.alpha_quality = CInt(options.settings.alphaQuality ?? webp.alphaQuality)
        result.partitions = CInt(webp.partitions)
        result.partition_limit = CInt(webp.partitionLimit)
        result.use_sharp_yuv = options.usesSharpYUV ? 1 : 0
        result.exact = webp.exact ? 1 : 0
        result.target_PSNR = Float(webp.targetPSNR)
        if let targetBytes {
            result.target_size = CInt(clamping: targetBytes)
            result.target_PSNR = 0
            result.pass = max(result.pass, searchPasses)
            // The requested quality is the upper limit.
            result.qmax = CInt(options.quality)
        }
        guard unsafe WebPValidateConfig(&result) != 0 else { throw .worker("libwebp rejects its options") }
        return result
    }
}
