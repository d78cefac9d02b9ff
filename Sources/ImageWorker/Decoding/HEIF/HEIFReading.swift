import CVips
import ImagePlan

/// A coder of AVIF or HEIC: libheif decodes the stored picture, and the file's crop, turns and mirrors are left to the steps.
///
/// Of a sequence the still picture is decoded alone; its raster tells how many pictures there are and how they play.
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
            // ISO/IEC 23008-12 §6.5.10: the file's own turns count, and not those of its EXIF block.
            metadata.set(VIPS_META_ORIENTATION, placement?.orientation ?? 1)
            guard let sequence else { return }
            metadata.set(VIPS_META_N_PAGES, sequence.frames)
            metadata.set(Animation.delayField, sequence.delays)
            metadata.set(Animation.loopField, sequence.rounds)
        }
    }
}

extension Raster {
    /// What is shown of a stored picture.
    fileprivate func visible(_ placement: HEIFPlacement?) throws -> Raster {
        guard let placement, placement.visible.size != placement.stored else { return self }
        guard PixelSize(width: width, height: height) == placement.stored else {
            throw WorkerReply.Failure.broken("its boxes say \(placement.stored) pixels, and it has \(width)x\(height)")
        }
        let part = placement.visible
        return try cropped(left: part.left, top: part.top, width: part.width, height: part.height)
    }
}
