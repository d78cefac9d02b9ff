import CAVIF
import ImagePlan

@testable import ImageWorker

/// An AVIF of one colour with properties that the project's own encoder never writes, by libavif.
struct AVIFSample {
    var depth: UInt32 = 8
    var isGrey = false
    var isFullRange = true
    /// Whether the stored colour is multiplied by alpha.
    var isPremultiplied = false

    private static let side = 16

    /// Returns a still of 16 × 16 pixels, exact apart from rounding.
    ///
    /// - Parameter colour: red, green, blue and alpha, which is not stored if it is 255.
    func file(of colour: [UInt8]) throws -> [UInt8] {
        let format = isGrey ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444
        let side = UInt32(Self.side)
        guard let image = unsafe avifImageCreate(side, side, depth, format) else {
            throw WorkerReply.Failure.worker("no memory for an image")
        }
        defer { unsafe avifImageDestroy(image) }
        // ITU-T H.273: BT.709 primaries, sRGB's curve, BT.601's matrix.
        unsafe image.pointee.colorPrimaries = avifColorPrimaries(1)
        unsafe image.pointee.transferCharacteristics = avifTransferCharacteristics(13)
        unsafe image.pointee.matrixCoefficients = avifMatrixCoefficients(6)
        unsafe image.pointee.yuvRange = isFullRange ? AVIF_RANGE_FULL : AVIF_RANGE_LIMITED
        unsafe image.pointee.alphaPremultiplied = isPremultiplied ? AVIF_TRUE : AVIF_FALSE
        var pixels = (0..<Self.side * Self.side).flatMap { _ in colour }
        try unsafe pixels.withUnsafeMutableBytes { bytes in
            var rgb = unsafe avifRGBImage()
            unsafe avifRGBImageSetDefaults(&rgb, image)
            unsafe rgb.format = AVIF_RGB_FORMAT_RGBA
            unsafe rgb.depth = 8
            unsafe rgb.avoidLibYUV = AVIF_TRUE
            unsafe rgb.pixels = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
            unsafe rgb.rowBytes = side * 4
            try Self.check(unsafe avifImageRGBToYUV(image, &rgb))
        }
        guard let encoder = unsafe avifEncoderCreate() else {
            throw WorkerReply.Failure.worker("no memory for an AVIF encoder")
        }
        defer { unsafe avifEncoderDestroy(encoder) }
        unsafe encoder.pointee.codecChoice = AVIF_CODEC_CHOICE_AOM
        unsafe encoder.pointee.speed = 9
        unsafe encoder.pointee.minQuantizer = 0
        unsafe encoder.pointee.maxQuantizer = 0
        unsafe encoder.pointee.minQuantizerAlpha = 0
        unsafe encoder.pointee.maxQuantizerAlpha = 0
        var output = unsafe avifRWData()
        defer { unsafe avifRWDataFree(&output) }
        try Self.check(unsafe avifEncoderWrite(encoder, image, &output))
        return unsafe Array(UnsafeBufferPointer(start: output.data, count: output.size))
    }

    private static func check(_ result: avifResult) throws(WorkerReply.Failure) {
        guard result != AVIF_RESULT_OK else { return }
        let text = unsafe String(cString: avifResultToString(result))
        throw .worker("libavif: \(text)")
    }
}
