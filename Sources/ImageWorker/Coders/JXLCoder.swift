import CJXL
import CVips
import ImagePlan

/// JPEG XL, decoded and encoded by libjxl through libvips; the frames of animations are decoded by libjxl directly.
struct JXLCoder: Coder {
    let format = ImageFormat.jxl
    let loader: VipsPart? = VipsPart(operation: "jxlload_buffer", module: .jxl)
    let saver: VipsPart? = VipsPart(operation: "jxlsave_buffer", module: .jxl)
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 65_535
    )
    let settings: [PlanSetting] = [.lossless, .effort, .maximumBytes]
    let decodesAnimation = true

    /// Effort 3 takes 7.5 / 80 ms at 512 / 1920 px; libjxl's default of 7 takes several times as long.
    private static let standardEffort = 3

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let still = try load(source) { bytes, count, out in unsafe edge_vips_load_jxl(bytes, count, &out) }
        guard isAnimated(source), let animation = try JXLAnimation(source) else { return still }
        let count = animation.delays.count
        // libvips 8.14 decodes the last frame.
        let frames = try animation.frames(options.selection(of: count), of: source, options.deadline)
        return try Raster.animation(frames, delays: animation.delays, of: count, rounds: animation.rounds)
            .withMetadata { $0.copy(from: still) }
    }

    func animationFacts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts? {
        guard isAnimated(source), let animation = try JXLAnimation(source) else { return nil }
        return SourceDecoder.Facts(
            format: format,
            size: PixelSize(width: Int(animation.info.xsize), height: Int(animation.info.ysize)),
            frames: animation.delays.count,
            // libjxl turns the pixels.
            orientation: 1,
            hasAlpha: animation.info.alpha_bits > 0
        )
    }

    private func isAnimated(_ source: SourceMapping) -> Bool {
        source.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count) else { return false }
            return header.frames > 1
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let effort = options.effort(in: 3...9, standard: Self.standardEffort)
        try EncoderMemory.check(picture.size, bytesPerPixel: effort < 7 ? 62 : 110, as: format)
        return try save(picture, options) { raster, bytes, count in
            unsafe edge_vips_save_jxl(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                options.isLossless ? 1 : 0,
                effort,
                options.strips ? 1 : 0
            )
        }
    }
}
