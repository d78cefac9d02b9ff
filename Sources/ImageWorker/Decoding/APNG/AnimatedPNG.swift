/// The structure of an animated PNG (W3C PNG, third edition, §4.9): position, time and data of each frame.
///
/// Parses chunks with bounds checks and decodes no pixels.
///
/// Own code, since libpng without the APNG patch, and so libvips, sees the first frame only. The folder can be deleted when
/// libvips loads the pages of an animated PNG with their delays; `AnimatedPNGTests` defines the required behaviour.
struct AnimatedPNG {
    /// One frame, which covers a part of the canvas.
    struct Frame {
        /// The position on the canvas.
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// The delay in milliseconds.
        var delay: Int
        var disposal: Disposal
        var blending: Blending
        /// The ranges of the file with its compressed pixels.
        var data: [Range<Int>] = []
    }

    /// How a frame's area is disposed of before the next frame (§11.3.6.2: dispose_op).
    enum Disposal: UInt8 {
        case none, background, previous
    }

    /// How a frame is composed onto the canvas (§11.3.6.2: blend_op).
    enum Blending: UInt8 {
        case source, over
    }

    private(set) var frames: [Frame] = []
    /// The number of loops; 0 for endless.
    private(set) var rounds = 0
    /// The size of the canvas.
    private(set) var width = 0
    private(set) var height = 0
    /// The content of IHDR after the size: depth, colour type, methods.
    private(set) var pixelFormat: [UInt8] = []
    /// The chunks that define the meaning of pixels, repeated in each frame's file.
    private(set) var meaning: [Range<Int>] = []

    /// Why an animation is invalid; the file is then treated as its still image.
    struct Malformed: Error, Equatable {
        let reason: String
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The chunks that determine colours (PNG §11.2 and §11.3).
    private static let meaningful = ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP"]
    /// The same limit as the sniffer's, so that both agree.
    private static let mostFrames = 100_000

    private var announced = 0
    private var nextNumber = 0
    private var hasData = false

    /// Parses all chunks.
    ///
    /// - Throws: `Malformed` for a file without a valid animation.
    init(_ bytes: Span<UInt8>) throws(Malformed) {
        guard bytes.begins(with: Self.signature) else { throw Malformed(reason: "not a PNG") }
        var position = Self.signature.count
        while true {
            let chunk = try PNGChunk(bytes, at: position)
            if chunk.name == "IEND" { break }
            try take(chunk, bytes)
            position = chunk.whole.upperBound
            // A still image has no acTL before its data.
            if chunk.name == "IDAT", announced == 0 { throw Malformed(reason: "not an animation") }
        }
        guard !frames.isEmpty, frames.count == announced, frames.allSatisfy({ !$0.data.isEmpty }) else {
            throw Malformed(reason: "frames are missing")
        }
    }

    private mutating func take(_ chunk: PNGChunk, _ bytes: Span<UInt8>) throws(Malformed) {
        switch chunk.name {
        case "IHDR":
            guard chunk.content.count == 13, width == 0 else { throw Malformed(reason: "an invalid IHDR") }
            width = bytes.word(chunk.content.lowerBound)
            height = bytes.word(chunk.content.lowerBound + 4)
            pixelFormat = chunk.content.dropFirst(8).map { bytes[$0] }
        case "acTL":
            guard chunk.content.count == 8, !hasData, announced == 0 else { throw Malformed(reason: "an invalid acTL") }
            announced = bytes.word(chunk.content.lowerBound)
            rounds = bytes.word(chunk.content.lowerBound + 4)
            guard (1...Self.mostFrames).contains(announced) else { throw Malformed(reason: "too many frames") }
        case "fcTL":
            try checkNumber(chunk, bytes)
            guard chunk.content.count == 26, frames.count < announced, frames.last?.data.isEmpty != true else {
                throw Malformed(reason: "more frames than announced")
            }
            try frames.append(frame(bytes, chunk.content.lowerBound + 4))
        case "IDAT":
            hasData = true
            // Without a preceding fcTL the still image is not a frame.
            if !frames.isEmpty {
                guard frames.count == 1 else { throw Malformed(reason: "IDAT after the first frame") }
                frames[0].data.append(chunk.content)
            }
        case "fdAT":
            try checkNumber(chunk, bytes)
            guard hasData, !frames.isEmpty, chunk.content.count >= 4 else {
                throw Malformed(reason: "a misplaced fdAT")
            }
            frames[frames.count - 1].data.append(chunk.content.dropFirst(4))
        case _ where Self.meaningful.contains(chunk.name) && !hasData: meaning.append(chunk.whole)
        default: break
        }
    }

    /// Checks the sequence numbers, which fcTL and fdAT share without gaps (§4.9).
    private mutating func checkNumber(_ chunk: PNGChunk, _ bytes: Span<UInt8>) throws(Malformed) {
        guard chunk.content.count >= 4, bytes.word(chunk.content.lowerBound) == nextNumber else {
            throw Malformed(reason: "frames out of order")
        }
        nextNumber += 1
    }

    private func frame(_ bytes: Span<UInt8>, _ start: Int) throws(Malformed) -> Frame {
        // §11.3.6.2: a denominator of 0 means 100.
        let (numerator, denominator) = (bytes.half(start + 16), bytes.half(start + 18))
        let perSecond = denominator == 0 ? 100 : denominator
        guard let disposal = Disposal(rawValue: bytes[start + 20]),
            let blending = Blending(rawValue: bytes[start + 21])
        else { throw Malformed(reason: "an unknown dispose_op or blend_op") }
        let frame = Frame(
            left: bytes.word(start + 8),
            top: bytes.word(start + 12),
            width: bytes.word(start),
            height: bytes.word(start + 4),
            delay: (numerator * 1000 + perSecond / 2) / perSecond,
            disposal: disposal,
            blending: blending
        )
        guard frame.width > 0, frame.height > 0, frame.left + frame.width <= width, frame.top + frame.height <= height
        else { throw Malformed(reason: "a frame exceeds the canvas") }
        let isWhole = frame.width == width && frame.height == height
        // §11.3.6.2: a still image that is the first frame covers the canvas.
        guard isWhole || hasData else { throw Malformed(reason: "the first frame does not cover the canvas") }
        return frame
    }
}
