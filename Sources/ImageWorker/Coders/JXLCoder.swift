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

    /// Effort 5 saves a twentieth of the bytes of effort 3 at equal scores; effort 7, libjxl's default, takes half as long again and
    /// saves a hundredth more (Benchmarks/README.md).
    private static let standardEffort = 5

    private static let efforts = 3...9

    /// Whether a worker has enough memory to encode an image.
    static func hasRoom(for size: PixelSize, _ settings: EncodingSettings) -> Bool {
        (try? checkMemory(for: size, effort: settings.effort ?? standardEffort)) != nil
    }

    private static func checkMemory(for size: PixelSize, effort: Int) throws(WorkerReply.Failure) {
        try EncoderMemory.check(size, bytesPerPixel: effort < 7 ? 62 : 110, as: .jxl)
    }

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
        let effort = options.effort(in: Self.efforts, standard: Self.standardEffort)
        try Self.checkMemory(for: picture.size, effort: Int(effort))
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
