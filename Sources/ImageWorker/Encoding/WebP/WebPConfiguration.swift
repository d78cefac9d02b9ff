import CWebP
import ImagePlan

/// Makes libwebp's configuration of a request's settings over the operator's options.
enum WebPConfiguration {
    /// Passes that a search for a size takes at least, as cwebp does.
    private static let searchPasses: CInt = 6

    /// - Throws: `WorkerReply.Failure.worker` where libwebp is of another version than its headers, or finds a value wrong.
    static func make(_ options: EncodingOptions, targetBytes: Int?) throws(WorkerReply.Failure) -> WebPConfig {
        var result = WebPConfig()
        guard unsafe WebPConfigInit(&result) != 0 else { throw .worker("libwebp of another version") }
        let webp = options.webp
        if options.isLossless {
            // Sets method and quality, which is effort too in lossless files, by one scale from 0 to 9.
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
        result.use_sharp_yuv = webp.useSharpYUV || options.settings.usesSharpYUV ? 1 : 0
        result.exact = webp.exact ? 1 : 0
        result.target_PSNR = Float(webp.targetPSNR)
        if let targetBytes {
            result.target_size = CInt(clamping: targetBytes)
            result.target_PSNR = 0
            result.pass = max(result.pass, searchPasses)
            // Room that is left is not filled beyond the quality that was asked for.
            result.qmax = CInt(options.quality)
        }
        guard unsafe WebPValidateConfig(&result) != 0 else { throw .worker("libwebp refuses its options") }
        return result
    }
}
