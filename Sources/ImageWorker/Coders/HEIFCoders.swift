import CVips
import ImagePlan

/// A coder of AVIF or HEIC: libheif decodes the stored image; crop, rotation and mirroring are applied afterwards.
///
/// Of a sequence only the still image is decoded; its metadata tell the number of frames and how they play.
protocol HEIFReading: Coder {}

extension HEIFReading {
    var loader: VipsPart? {
        VipsPart(className: "VipsForeignLoadHeif", operation: "heifload_buffer", module: .heif)
    }

    func corrected(_ bytes: Span<UInt8>) -> [UInt8]? { HEIFPicture(bytes)?.untransformed(bytes) }

    func storedSize(of source: SourceMapping) -> PixelSize? {
        source.withSpan { bytes in HEIFPicture(bytes)?.placement.stored }
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        let stored = try load(source) { bytes, count, out in unsafe edge_vips_load_heif(bytes, count, &out) }
            .withColour(StatedColour(heif: source))
        let (picture, sequence) = source.withSpan { bytes in (HEIFPicture(bytes), HEIFSequence(bytes)) }
        let placement = picture?.placement
        return try stored.visible(placement).withMetadata { metadata in
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
    /// Returns the visible part of the stored image.
    fileprivate func visible(_ placement: HEIFPlacement?) throws -> Raster {
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

/// AVIF: decoded by libheif with dav1d or aom, encoded with aom.
struct AVIFCoder: HEIFReading {
    let format = ImageFormat.avif
    let saver: VipsPart? = VipsPart(className: "VipsForeignSaveHeif", operation: "heifsave_buffer", module: .heif)
    let traits: EncoderTraits? = EncoderTraits(
        hasAlpha: true,
        hasAnimation: false,
        isLosslessPossible: true,
        longestSide: 16_384
    )
    let settings: [PlanSetting] = [.lossless, .effort, .chroma, .maximumBytes]

    /// Effort 0 takes 9.6 / 55 ms at 512 / 1920 px, 1 takes 37 / 166 and 4 takes 163 / 1574: only the lowest suits a waiting client.
    private static let standardEffort = 0

    /// Whether an image in memory keeps full chroma resolution: if it has sharp colour edges and there is enough memory.
    private func isSharp(_ picture: FinishedPicture) throws -> Bool {
        guard (try? EncoderMemory.check(picture.size, bytesPerPixel: 40, as: format)) != nil else { return false }
        return try ChromaDetail(of: picture.frames[0]).isSharp
    }

    func encode(_ picture: FinishedPicture, _ options: EncodingOptions) throws -> EncodedPicture {
        let isLookedAt =
            options.settings.chroma == .auto && !options.isLossless
            && picture.size.pixels <= ChromaDetail.largestPicture
        let picture = isLookedAt ? try picture.inMemory(options.deadline) : picture
        let keepsColours = isLookedAt ? try isSharp(picture) : options.settings.chroma == .full || options.isLossless
        try EncoderMemory.check(picture.size, bytesPerPixel: keepsColours ? 40 : 25, as: format)
        return try save(picture, options) { raster, bytes, count in
            unsafe edge_vips_save_avif(
                raster.pointer,
                &bytes,
                &count,
                CInt(options.quality),
                options.isLossless ? 1 : 0,
                options.effort(in: 0...9, standard: Self.standardEffort),
                keepsColours ? VIPS_FOREIGN_SUBSAMPLE_OFF : VIPS_FOREIGN_SUBSAMPLE_ON,
                options.strips ? 1 : 0
            )
        }
    }
}

/// HEIC: decoded by libheif with libde265; not encoded.
struct HEICCoder: HEIFReading {
    let format = ImageFormat.heic
}
