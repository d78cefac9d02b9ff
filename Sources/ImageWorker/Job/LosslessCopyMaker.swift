import CVips
import ImagePlan

/// Makes a lossless copy of an original, and compares its pixels with the original's before it is used.
struct LosslessCopyMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    /// The orientation in the header that jobs of the copy will use.
    let orientation: Int
    let deadline: Deadline

    /// The zlib level: 9 takes several times as long as 6 and saves about 1 %.
    private static let compression: CInt = 6

    /// Makes the copy.
    ///
    /// - Throws: `WorkerReply.Failure.refused` for an image that no PNG represents exactly; `VipsError`.
    func make() throws -> OutputMaker.Made {
        var clock = StageClock()
        guard facts.frames == 1, facts.pages == 1, facts.stored == nil, facts.orientation == orientation,
            decoder.statedColour == nil
        else { throw Self.refusal }
        let opened = try decoder.open()
        guard opened.isExactAsPNG else { throw Self.refusal }
        deadline.watch(opened)
        let original = try opened.inMemory()
        clock.endDecode()
        try deadline.check()
        let encoded = try encode(original)
        try OutputLimit.check(encoded.count)
        try deadline.check()
        guard try isExact(encoded, original) else { throw Self.refusal }
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(LosslessCopy.format),
            width: facts.size.width,
            height: facts.size.height,
            frames: 1,
            hasAlpha: original.hasAlpha,
            length: encoded.count
        )
        return OutputMaker.Made(description: description, encoded: encoded, timing: clock.timing)
    }

    private static let refusal = WorkerReply.Failure.refused("the image has no exact copy as PNG")

    /// Encodes the pixels with the profile and without other metadata.
    private func encode(_ raster: Raster) throws -> EncodedPicture {
        let fields = raster.fields.filter { $0 != VIPS_META_ICC_NAME }
        let plain = try raster.withMetadata { metadata in for field in fields { metadata.remove(field) } }
        deadline.watch(plain)
        return try PNGCoder().save { bytes, count in
            unsafe edge_vips_save_png(plain.pointer, &bytes, &count, Self.compression, 0, 0)
        }
    }

    /// Whether the copy decodes to the same pixels, profile and resolution.
    private func isExact(_ encoded: EncodedPicture, _ original: Raster) throws -> Bool {
        let mapping = try encoded.withBytes { bytes throws(WorkerReply.Failure) in
            unsafe try SourceMapping(copying: bytes)
        }
        return try withExtendedLifetime(mapping) {
            let copy = try SourceDecoder(mapping, format: LosslessCopy.format).open()
            deadline.watch(copy)
            guard copy.width == original.width, copy.height == original.height, copy.bands == original.bands,
                copy.format == original.format, copy.interpretation == original.interpretation,
                copy.bytes(VIPS_META_ICC_NAME) == original.bytes(VIPS_META_ICC_NAME),
                copy.densities == original.densities
            else { return false }
            return try copy.withBytes { left in
                try original.withBytes { right in
                    unsafe left.withUnsafeBytes { left in
                        unsafe right.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
                    }
                }
            }
        }
    }
}

extension Raster {
    /// Whether PNG has the samples' type and colours: 8 or 16 bits, grey or RGB, with or without alpha, and no palette.
    fileprivate var isExactAsPNG: Bool {
        let isInteger = format == VIPS_FORMAT_UCHAR || format == VIPS_FORMAT_USHORT
        let isColour = [
            VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB16, VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16,
        ]
        .contains(interpretation)
        return isInteger && isColour && bands <= 4 && !has("palette-bit-depth") && !has("palette")
            && text(VIPS_META_RESOLUTION_UNIT)?.hasPrefix("cm") != true
    }

    /// The resolution as encoders write it: dots per metre and per inch.
    fileprivate var densities: [Double] {
        unsafe [vips_image_get_xres(pointer), vips_image_get_yres(pointer)]
            .flatMap { [($0 * 1000).rounded(.toNearestOrEven), ($0 * 25.4).rounded(.toNearestOrEven)] }
    }

    /// Returns a field of text.
    private func text(_ field: String) -> String? {
        guard has(field) else { return nil }
        var value: UnsafePointer<CChar>?
        guard unsafe vips_image_get_string(pointer, field, &value) == 0, let value = unsafe value else {
            vips_error_clear()
            return nil
        }
        return unsafe String(cString: value)
    }
}
