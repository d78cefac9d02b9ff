import CVips
import ImagePlan

/// A coder of AVIF or HEIC: libheif decodes the stored image; crop, rotation and mirroring are applied afterwards.
///
/// Of a HEIC sequence only the still image is decoded; its metadata has the number of frames, delays and loop count.
protocol HEIFReading: Coder {}

extension HEIFReading {
    var loader: VipsPart? {
        VipsPart(operation: "heifload_buffer", module: .heif)
    }

    func corrected(_ bytes: Span<UInt8>) -> [UInt8]? { HEIFPicture(bytes)?.untransformed(bytes) }

    func storedSize(of source: SourceMapping) -> PixelSize? {
        source.withSpan { bytes in HEIFPicture(bytes)?.placement.stored }
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster { try openStill(source) }

    /// Opens the still image with the playback of the sequence, if there is one.
    func openStill(_ source: SourceMapping) throws -> Raster {
        let (picture, sequence) = source.withSpan { bytes in (HEIFPicture(bytes), HEIFSequence(bytes)) }
        let stored = try load(source) { bytes, count, out in unsafe edge_vips_load_heif(bytes, count, &out) }
            .withFullRange(picture)
            .withStraightAlpha(picture)
            .withColour(StatedColour(heif: source))
        let placement = picture?.placement
        return try stored.visible(placement).withMetadata { metadata in
            // libvips' loader frees these with its own image, which ends before copies of it do (8.14).
            for field in [VIPS_META_ICC_NAME, VIPS_META_EXIF_NAME, VIPS_META_XMP_NAME] {
                if let bytes = stored.bytes(field) { metadata.set(field, bytes) }
            }
            if !stored.has(VIPS_META_XMP_NAME), let packet = stored.packetOfItem {
                metadata.set(VIPS_META_XMP_NAME, packet)
            }
            // ISO/IEC 23008-12 §6.5.10: the transformative properties take precedence over the EXIF orientation.
            metadata.set(VIPS_META_ORIENTATION, placement?.orientation ?? 1)
            guard let sequence else { return }
            metadata.set(VIPS_META_N_PAGES, sequence.frames)
            metadata.set(Animation.delayField, sequence.delays)
            metadata.set(Animation.loopField, sequence.rounds)
        }
    }
}

extension Raster {
    /// The XMP among the MIME items; `nil` if there is none.
    ///
    /// libvips 8.14 recognises only a packet without its wrapper, which begins with `<x:xmpmeta`, and numbers all other items.
    fileprivate var packetOfItem: [UInt8]? {
        for field in fields where field.hasPrefix("heif-mime-") {
            if let item = bytes(field), XMPPacket(bytes: item).isPlausible { return item }
        }
        return nil
    }

    /// Expands greys of the limited range, which libheif takes for those of the full range (1.15); it expands colours itself.
    fileprivate func withFullRange(_ picture: HEIFPicture?) throws(VipsError) -> Raster {
        guard bands >= 3, picture?.isLimitedGrey == true else { return self }
        // libvips shifts samples of more than 8 bits to the top of 16.
        let bits = format == VIPS_FORMAT_USHORT ? min(max(integer("heif-bitdepth") ?? 16, 8), 16) : 8
        let black = format == VIPS_FORMAT_USHORT ? 16.0 * 256 : 16
        // H.273 §8.3: of 8 bits, 16 is black and 235 white; of more, multiples of these.
        let factor = Double((1 << bits) - 1) / Double(219 << (bits - 8))
        let alpha = bands - 3
        // 0.5 rounds, since the cast truncates.
        return try linear(
            [factor, factor, factor] + Array(repeating: 1, count: alpha),
            plus: Array(repeating: 0.5 - black * factor, count: 3) + Array(repeating: 0.5, count: alpha)
        )
        .cast(to: format)
    }

    /// Divides colours by alpha if the file has them multiplied; libheif and libvips leave them so.
    fileprivate func withStraightAlpha(_ picture: HEIFPicture?) throws(VipsError) -> Raster {
        guard hasAlpha, picture?.isPremultiplied == true else { return self }
        // 0.5 rounds, since the cast truncates.
        return try unpremultiplied().linear([1], plus: [0.5]).cast(to: format)
    }

    /// Returns the visible part of the stored image.
    func visible(_ placement: HEIFPlacement?) throws -> Raster {
        guard let placement, placement.visible.size != placement.stored else { return self }
        guard PixelSize(width: width, height: height) == placement.stored else {
            throw WorkerReply.Failure.broken(
                "its boxes state \(placement.stored) pixels, but it has \(width)x\(height)"
            )
        }
        let part = placement.visible
        return try cropped(left: part.left, top: part.top, width: part.width, height: part.height)
    }
}

/// AVIF: libheif decodes stills, and libavif sequences, with dav1d or aom; libavif encodes both with aom.
struct AVIFCoder: HEIFReading {
    let format = ImageFormat.avif
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: true,
        isLosslessPossible: true,
        longestSide: 16_384
    )
    let settings: [PlanSetting] = [.lossless, .effort, .chroma, .maximumBytes]
    let decodesAnimation = true
    var isEncoderThere: Bool { AVIFEncoder.isThere }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let still = try openStill(source)
        let sequence = source.withSpan { bytes in HEIFSequence(bytes) }
        guard let sequence, options.allFrames || options.frame > 0 else { return still }
        let placement = source.withSpan { bytes in HEIFPicture(bytes)?.placement }
        let largest = placement?.stored.pixels ?? still.width * still.height
        let frames = try AVIFSequence(source, largest: largest)
            .frames(options.selection(of: sequence.frames), options.deadline) { frame in try frame.visible(placement) }
        guard frames[0].width == still.width, frames[0].height == still.height else {
            throw WorkerReply.Failure.broken("the frames and the still image differ in size")
        }
        let stack = try Raster.animation(frames, delays: sequence.delays, of: sequence.frames, rounds: sequence.rounds)
        return try stack.withMetadata { metadata in
            metadata.copy(from: still)
            metadata.set(VIPS_META_ORIENTATION, placement?.orientation ?? 1)
        }
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let encoded =
            try picture.animation.map { try encode(picture, $0, options) } ?? encodeStill(picture, options)
        try check(encoded, isOf: picture.size)
        return encoded
    }

    private func encodeStill(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let isFull = options.settings.chroma == .full || options.isLossless
        let effort = Int(options.effort(in: AVIFTuning.efforts, standard: QualityDefaults.standardAVIFEffort))
        func check(depth: UInt32, keepsColours: Bool) throws(WorkerReply.Failure) {
            try AVIFTuning.checkMemory(for: picture.size, depth: depth, keepsColours: keepsColours, effort: effort)
        }
        try check(depth: 8, keepsColours: isFull)
        let still = try picture.frames[0].forAVIF(options)
        // Full chroma only if there is enough memory.
        let mayBeFull = options.settings.chroma == .auto && (try? check(depth: 8, keepsColours: true)) != nil
        let keepsColours = try isFull || mayBeFull && ChromaDetail(of: still).isSharp
        let hasRoom = (try? check(depth: 10, keepsColours: keepsColours)) != nil
        let encoder = AVIFEncoder(
            options: options,
            tuning: .still(
                quality: options.isLossless ? nil : options.quality,
                effort: effort,
                keepsColours: keepsColours,
                mostBits: hasRoom ? 10 : 8
            ),
            keepsColours: keepsColours
        )
        return try encoder.encode(
            still,
            options.strips ? nil : WebPMetadata(of: picture.filter.apply(to: still))
        )
    }

    /// Encodes a sequence; its first frame determines the chroma subsampling.
    private func encode(
        _ picture: FinishedPicture,
        _ animation: Animation,
        _ options: EncodingOptions
    ) throws -> EncodedPicture {
        let effort = Int(options.effort(in: AVIFTuning.efforts, standard: AVIFTuning.standardAnimationEffort))
        // aom looks ahead from effort 3 on and holds those frames: 160 MB at 1920 × 1080 before, 116 MB at 512 × 384 from there.
        try EncoderMemory.check(picture.size, bytesPerPixel: effort < 3 ? 80 : 600, as: format)
        var keepsColours = options.settings.chroma == .full || options.isLossless
        if options.settings.chroma == .auto, !options.isLossless {
            keepsColours = try ChromaDetail(of: picture.frames[0].forAVIF(options)).isSharp
        }
        let encoder = AVIFEncoder(
            options: options,
            tuning: .animation(quality: options.isLossless ? nil : options.quality, effort: effort),
            keepsColours: keepsColours
        )
        return try encoder.encode(picture, animation)
    }
}

/// HEIC: decoded by libheif with libde265; not encoded.
struct HEICCoder: HEIFReading {
    let format = ImageFormat.heic
}
