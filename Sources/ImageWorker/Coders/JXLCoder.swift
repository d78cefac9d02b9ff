import CJXL
import CVips
import ImagePlan

/// JPEG XL, decoded and encoded by libjxl through libvips; `JXLFrames` says what libjxl decodes directly.
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
        guard let frames = try JXLFrames(source) else { return still }
        guard frames.isAnimation else {
            let decoded = try frames.decoded(0..<1, of: source, options.deadline) { $0 }
            return try decoded[0].withMetadata { $0.copy(from: still) }
        }
        let selected = options.selection(of: frames.count)
        let decoded = try frames.decoded(selected, of: source, options.deadline) { frame in
            try frame.convertedToSRGB(options.deadline).inMemory()
        }
        return try Raster.animation(decoded, delays: frames.delays, of: frames.count, rounds: frames.rounds)
            .withMetadata { $0.copy(from: still) }
    }

    func frameFacts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts? {
        guard let frames = try JXLFrames(source) else { return nil }
        return SourceDecoder.Facts(
            format: format,
            size: PixelSize(width: Int(frames.info.xsize), height: Int(frames.info.ysize)),
            frames: frames.count,
            // libjxl turns the pixels.
            orientation: 1,
            hasAlpha: frames.info.alpha_bits > 0
        )
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let effort = options.effort(in: Self.efforts, standard: Self.standardEffort)
        try Self.checkMemory(for: picture.size, effort: Int(effort))
        // The pixels are read twice if there is metadata.
        let picture = options.strips ? picture : try picture.inMemory(options.deadline)
        let encoded = try save(picture, options) { raster, bytes, count in
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
        guard !options.strips else { return encoded }
        let metadata = try WebPMetadata(of: picture.stacked())
        return JXLContainer(exif: metadata.exif, packet: metadata["XMP "]).file(of: encoded)
    }
}
