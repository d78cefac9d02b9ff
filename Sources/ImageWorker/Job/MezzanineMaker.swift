import CVips
import ImagePlan

/// Makes an original's mezzanine: 8 bits per sample in stored orientation without metadata; outputs that keep metadata use the original.
///
/// Its colours are sRGB, or those of a wide colour space such as Display P3, since converting the pixels would take several times as
/// long as all the rest.
struct MezzanineMaker {
    let decoder: SourceDecoder
    let facts: SourceDecoder.Facts
    let mezzanine: Mezzanine
    let deadline: Deadline

    /// Makes the mezzanine, from the shared decoding if there is one.
    ///
    /// - Parameter mayDecode: whether it is worth a decode of its own.
    /// - Returns: a text of one byte in its place, if it would need one that it is not worth, or is too large to be stored.
    /// - Throws: `VipsError` or `WorkerReply.Failure`.
    func make(from shared: SharedDecode?, mayDecode: Bool) throws -> OutputMaker.Made {
        var clock = StageClock()
        let size = Reduction(
            factor: mezzanine.factor,
            original: ImageHeader(format: facts.format, width: facts.size.width, height: facts.size.height)
        ).size
        let factor = decoder.loadFactor(of: mezzanine)
        var decoded = try shared?.decoded(factor, orLess: mezzanine.factor)
        if decoded == nil, mayDecode { decoded = try decoder.open(factor: factor, DecodingOptions(deadline: deadline)) }
        guard let opened = decoded else { return Self.nothing }
        clock.endDecode()
        // Grey and RGB are scaled before conversion, as results are; other spaces are converted first.
        let isFirstScaled = opened.mayScaleBeforeConversion
        let source = isFirstScaled ? opened : try opened.convertedToSRGB(deadline)
        let scaled = try reduced(source, to: size)
        let profile = isFirstScaled ? scaled.wideProfile : nil
        let converted = try isFirstScaled && profile == nil ? scaled.convertedToSRGB(deadline) : scaled
        clock.endTransform()
        deadline.watch(converted)
        guard let encoded = try encode(converted, profile ?? []), (try? OutputLimit.check(encoded.count)) != nil else {
            return Self.nothing
        }
        clock.endEncode()
        let description = WorkerReply.Output(
            format: .picture(.planes),
            width: size.width,
            height: size.height,
            frames: 1,
            hasAlpha: converted.hasAlpha,
            length: encoded.count
        )
        return OutputMaker.Made(description: description, encoded: encoded, timing: clock.timing)
    }

    /// Halves opaque images as `Resampler` does first, so that fine lines look as in results of the original.
    ///
    /// Images with alpha are resized by libvips as if the last pixels stood for as many as the others.
    private func reduced(_ source: Raster, to size: PixelSize) throws -> Raster {
        guard !source.hasAlpha else {
            return try source.transparently { frame in try frame.resized(width: size.width, height: size.height) }
        }
        // Sides of the size are rounded up, which matters least for the longer one.
        let (longer, reduced) = (max(source.width, source.height), max(size.width, size.height))
        let factor = (longer + reduced / 2) / reduced
        guard source.format == VIPS_FORMAT_UCHAR else {
            let padded = try source.withSize(PixelSize(width: size.width * factor, height: size.height * factor))
            return try padded.resized(width: size.width, height: size.height)
        }
        return try source.reduced(by: factor, deadline)
    }

    /// Encodes an image; `nil` for one that the format does not allow.
    private func encode(_ raster: Raster, _ profile: [UInt8]) throws -> EncodedPicture? {
        let size = PixelSize(width: raster.width, height: raster.height)
        guard max(size.width, size.height) <= PlanesFile.longestSide, (3...4).contains(raster.bands) else { return nil }
        let bands = raster.bands
        return try raster.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes { pixels in
                let encoder = PlanesEncoder(size: size, profile: profile, deadline: deadline)
                return EncodedPicture(try unsafe encoder.encode(pixels, bands: bands))
            }
        }
    }

    /// Stands for a mezzanine that was not made.
    private static var nothing: OutputMaker.Made {
        OutputMaker.Made(
            description: WorkerReply.Output(format: .text, width: 1, height: 1, frames: 1, hasAlpha: false, length: 1),
            encoded: EncodedPicture([0]),
            timing: WorkerReply.Timing()
        )
    }
}
