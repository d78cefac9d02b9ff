import CAVIF
import CVips
import ImagePlan

/// Encodes stills and animations as AVIF with libavif and aom.
struct AVIFEncoder {
    let options: EncodingOptions
    /// How aom encodes.
    let tuning: AVIFTuning
    /// Whether chroma keeps the full resolution.
    let keepsColours: Bool

    /// Ticks per second.
    private static let timescale: UInt64 = 1000
    /// The maximum number of frames between key frames, so that a player can seek.
    private static let keyFrameInterval: CInt = 64

    /// Whether libavif was built with aom's encoder.
    static var isThere: Bool {
        let flags = avifCodecFlags(AVIF_CODEC_FLAG_CAN_ENCODE.rawValue)
        return unsafe avifCodecName(AVIF_CODEC_CHOICE_AOM, flags) != nil
    }

    /// Encodes a still image in memory.
    ///
    /// The deadline is checked before, since libavif encodes an image in one call that cannot be interrupted.
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func encode(_ still: Raster, _ metadata: WebPMetadata?) throws -> EncodedPicture {
        try withEncoder { encoder in
            try options.deadline.check()
            let flags = avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_SINGLE.rawValue)
            try unsafe add(still, metadata, duration: 1, flags, to: encoder)
        }
    }

    /// Encodes an animation frame by frame; only one frame's pixels are in memory, besides libavif's state.
    ///
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func encode(_ picture: FinishedPicture, _ animation: Animation) throws -> EncodedPicture {
        let file = try withEncoder { encoder in
            let flags = avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_NONE.rawValue)
            for (index, frame) in picture.frames.enumerated() {
                let computed = try frame.forAVIF(options)
                let metadata =
                    index == 0 && !options.strips ? try WebPMetadata(of: picture.filter.apply(to: computed)) : nil
                let duration = UInt64(max(1, animation.delay(ofFrame: index)))
                try unsafe add(computed, metadata, duration: duration, flags, to: encoder)
            }
        }
        guard animation.rounds > 0 else { return file }
        guard let counted = SequenceLoop.added(to: file.copy, rounds: animation.rounds) else {
            throw WorkerReply.Failure.worker("libavif wrote an unexpected box layout")
        }
        return EncodedPicture(counted)
    }

    /// Calls `body` with an encoder that it gives images, and returns the file.
    @safe
    private func withEncoder(_ body: (UnsafeMutablePointer<avifEncoder>) throws -> Void) throws -> EncodedPicture {
        guard let encoder = unsafe avifEncoderCreate() else {
            throw WorkerReply.Failure.worker("no memory for an AVIF encoder")
        }
        defer { unsafe avifEncoderDestroy(encoder) }
        unsafe configure(encoder)
        try unsafe body(encoder)
        var output = unsafe avifRWData()
        let result = unsafe avifEncoderFinish(encoder, &output)
        let file = unsafe EncodedPicture(
            owning: UnsafeRawBufferPointer(start: output.data, count: output.size),
            release: { unsafe avifFree($0) }
        )
        try Self.check(result)
        return file
    }

    private func configure(_ encoder: UnsafeMutablePointer<avifEncoder>) {
        unsafe encoder.pointee.codecChoice = AVIF_CODEC_CHOICE_AOM
        // A worker has one thread, and each core has its worker.
        unsafe encoder.pointee.maxThreads = 1
        unsafe encoder.pointee.speed = tuning.speed
        unsafe encoder.pointee.timescale = Self.timescale
        unsafe encoder.pointee.keyframeInterval = Self.keyFrameInterval
        let coarsest = tuning.level == nil ? 0 : AVIFTuning.coarsest
        unsafe encoder.pointee.minQuantizer = 0
        unsafe encoder.pointee.maxQuantizer = coarsest
        unsafe encoder.pointee.minQuantizerAlpha = 0
        unsafe encoder.pointee.maxQuantizerAlpha = coarsest
        for (name, value) in tuning.codecOptions {
            unsafe avifEncoderSetCodecSpecificOption(encoder, name, value)
        }
    }

    private func add(
        _ frame: Raster,
        _ metadata: WebPMetadata?,
        duration: UInt64,
        _ flags: avifAddImageFlags,
        to encoder: UnsafeMutablePointer<avifEncoder>
    ) throws {
        let format = keepsColours ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        let (width, height) = (UInt32(frame.width), UInt32(frame.height))
        guard let image = unsafe avifImageCreate(width, height, tuning.depth, format) else {
            throw WorkerReply.Failure.worker("no memory for a frame")
        }
        defer { unsafe avifImageDestroy(image) }
        // ITU-T H.273: BT.709 primaries, sRGB's curve, BT.601's matrix, or none for lossless RGB.
        unsafe image.pointee.colorPrimaries = avifColorPrimaries(1)
        unsafe image.pointee.transferCharacteristics = avifTransferCharacteristics(13)
        unsafe image.pointee.matrixCoefficients = avifMatrixCoefficients(options.isLossless ? 0 : 6)
        unsafe image.pointee.yuvRange = AVIF_RANGE_FULL
        if let profile = metadata?["ICCP"] { unsafe avifImageSetProfileICC(image, profile, profile.count) }
        if let exif = metadata?.exif { unsafe avifImageSetMetadataExif(image, exif, exif.count) }
        if let packet = metadata?["XMP "] { unsafe avifImageSetMetadataXMP(image, packet, packet.count) }
        let bands = frame.bands
        precondition(bands == 3 || bands == 4)
        let converted = try frame.withPixels { pixels in
            var rgb = unsafe avifRGBImage()
            unsafe avifRGBImageSetDefaults(&rgb, image)
            unsafe rgb.format = bands == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB
            // The pixels have 8 bits, whatever the image's depth.
            unsafe rgb.depth = 8
            // libyuv's conversion rounds twice.
            unsafe rgb.avoidLibYUV = AVIF_TRUE
            unsafe rgb.pixels = UnsafeMutablePointer(mutating: pixels.bindMemory(to: UInt8.self).baseAddress)
            unsafe rgb.rowBytes = UInt32(frame.width * bands)
            return unsafe avifImageRGBToYUV(image, &rgb)
        }
        try Self.check(converted)
        try Self.check(unsafe avifEncoderAddImage(encoder, image, duration, flags))
    }

    private static func check(_ result: avifResult) throws(WorkerReply.Failure) {
        guard result != AVIF_RESULT_OK else { return }
        // It fails for every source of this size and length.
        let text = unsafe String(cString: avifResultToString(result))
        throw .refused("libavif's encoder: \(text); it may need more than workers.memory")
    }
}

extension Raster {
    /// Computes the pixels to encode.
    ///
    /// Unless these are kept exactly, visible colours extend to transparent pixels, since subsampling and the transform would mix hidden
    /// ones into visible edges.
    func forAVIF(_ options: EncodingOptions) throws -> Raster {
        try options.deadline.check()
        options.deadline.watch(self)
        let computed = try inMemory()
        guard !options.isLossless else { return computed }
        // Less takes up to a tenth more bytes, and more makes edges less exact.
        return try computed.withExtendedColours(softness: 1.0 / 4, options.deadline)
    }
}
