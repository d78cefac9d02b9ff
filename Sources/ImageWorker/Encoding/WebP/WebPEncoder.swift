import CVips
import CWebP
import ImagePlan

/// Encodes rows of 8-bit RGB or RGBA with libwebp (SDImageWebPCoder's `sd_encodedWebpDataWithImage`).
struct WebPEncoder {
    let configuration: WebPConfig
    let deadline: Deadline

    /// Encodes one image in memory.
    ///
    /// - Throws: `WorkerReply.Failure` or `VipsError`.
    func encode(_ raster: Raster) throws -> EncodedPicture {
        do {
            return try encode(raster, configuration)
        } catch WebPFailure.partitionOverflow {
            // Large, detailed images: allow quality loss so that the prediction modes fit into 512 KiB.
            var yielding = configuration
            yielding.partition_limit = 100
            return try encode(raster, yielding)
        }
    }

    private func encode(_ raster: Raster, _ configuration: WebPConfig) throws -> EncodedPicture {
        var configuration = configuration
        var writer = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&writer)
        let outcome = try unsafe withPicture(raster, keepsRGB: false) { picture in
            unsafe withUnsafeMutablePointer(to: &writer) { writer in
                unsafe picture.writer = { unsafe WebPMemoryWrite($0, $1, $2) }
                unsafe picture.custom_ptr = UnsafeMutableRawPointer(writer)
                return unsafe WebPEncode(&configuration, &picture) != 0 ? nil : picture.error_code
            }
        }
        if let outcome {
            unsafe WebPMemoryWriterClear(&writer)
            throw WebPFailure.of(outcome)
        }
        guard let memory = unsafe writer.mem else { throw WorkerReply.Failure.worker("libwebp wrote nothing") }
        return unsafe EncodedPicture(
            owning: UnsafeRawBufferPointer(start: memory, count: writer.size),
            release: { unsafe WebPFree($0) }
        )
    }

    /// Encodes an animation frame by frame, holding the pixels of one frame and libwebp's state.
    ///
    /// - Returns: the file, and the first frame in memory.
    func encode(_ frames: [Raster], _ animation: Animation) throws -> (EncodedPicture, Raster) {
        var options = WebPAnimEncoderOptions()
        guard unsafe WebPAnimEncoderOptionsInit(&options) != 0 else {
            throw WorkerReply.Failure.worker("libwebp's version differs from its headers")
        }
        options.anim_params.loop_count = CInt(animation.rounds)
        // Transparent; viewers and libvips ignore it.
        options.anim_params.bgcolor = 0
        let (width, height) = (CInt(frames[0].width), CInt(frames[0].height))
        guard let encoder = unsafe WebPAnimEncoderNew(width, height, &options) else {
            throw WorkerReply.Failure.worker("no memory for an animation")
        }
        defer { unsafe WebPAnimEncoderDelete(encoder) }
        var configuration = configuration
        var time = 0
        var first: Raster?
        for (index, frame) in frames.enumerated() {
            try deadline.check()
            deadline.watch(frame)
            let computed = try frame.inMemory()
            if index == 0 { first = computed }
            let stamp = CInt(clamping: time)
            let outcome = try unsafe withPicture(computed, keepsRGB: true) { picture in
                unsafe WebPAnimEncoderAdd(encoder, &picture, stamp, &configuration) != 0 ? nil : picture.error_code
            }
            if let outcome { throw WebPFailure.of(outcome) }
            time += animation.delay(ofFrame: index)
        }
        var data = unsafe WebPData()
        unsafe WebPDataInit(&data)
        guard unsafe WebPAnimEncoderAdd(encoder, nil, CInt(clamping: time), nil) != 0,
            unsafe WebPAnimEncoderAssemble(encoder, &data) != 0, let bytes = unsafe data.bytes, let first
        else {
            throw WorkerReply.Failure.worker(unsafe String(cString: WebPAnimEncoderGetError(encoder)))
        }
        let file = unsafe EncodedPicture(
            owning: UnsafeRawBufferPointer(start: bytes, count: data.size),
            release: { unsafe WebPFree($0) }
        )
        return (file, first)
    }

    /// Imports an image in memory and calls `body` with it.
    ///
    /// - Returns: libwebp's error, if there is one.
    private func withPicture(
        _ raster: Raster,
        keepsRGB: Bool,
        _ body: (inout WebPPicture) -> WebPEncodingError?
    ) throws -> WebPEncodingError? {
        var picture = unsafe WebPPicture()
        guard unsafe WebPPictureInit(&picture) != 0 else {
            throw WorkerReply.Failure.worker("libwebp's version differs from its headers")
        }
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.width = CInt(raster.width)
        unsafe picture.height = CInt(raster.height)
        // Otherwise chroma is subsampled during import, which takes less memory.
        let needsRGB =
            configuration.lossless != 0 || configuration.use_sharp_yuv != 0 || configuration.preprocessing != 0
        unsafe picture.use_argb = keepsRGB || needsRGB ? 1 : 0
        unsafe picture.user_data = Unmanaged.passUnretained(deadline).toOpaque()
        unsafe picture.progress_hook = { _, picture in
            guard let context = unsafe picture?.pointee.user_data else { return 1 }
            return unsafe Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().hasPassed ? 0 : 1
        }
        let bands = raster.bands
        precondition((3...4).contains(bands))
        let stride = CInt(raster.width * bands)
        let isImported = try raster.withPixels { pixels in
            let rows = unsafe pixels.bindMemory(to: UInt8.self).baseAddress
            return unsafe bands == 4
                ? WebPPictureImportRGBA(&picture, rows, stride) : WebPPictureImportRGB(&picture, rows, stride)
        }
        guard isImported != 0 else { return VP8_ENC_ERROR_OUT_OF_MEMORY }
        return unsafe body(&picture)
    }
}

/// The libwebp errors that need their own handling.
enum WebPFailure: Error {
    /// The prediction modes need more than 512 KiB.
    case partitionOverflow

    static func of(_ error: WebPEncodingError) -> any Error {
        switch error {
        case VP8_ENC_ERROR_USER_ABORT: WorkerReply.Failure.deadline
        case VP8_ENC_ERROR_PARTITION0_OVERFLOW: WebPFailure.partitionOverflow
        case VP8_ENC_ERROR_BAD_DIMENSION: WorkerReply.Failure.refused("webp cannot hold an image of this size")
        default: WorkerReply.Failure.worker("libwebp's encoder failed with \(error.rawValue)")
        }
    }
}
