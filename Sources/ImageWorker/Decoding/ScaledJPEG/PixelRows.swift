import CLanes

/// Rows of pixels of a strip's samples (JFIF §"Conversion to and from RGB").
struct PixelRows: ~Copyable {
    /// The bytes after the planes that are read with the last samples.
    static let padding = 8

    /// The bytes of a row, and some more.
    private(set) var bytes: [UInt8]
    private let width: Int
    private let bands: Int

    init(width: Int, bands: Int) {
        self.width = width
        self.bands = bands
        bytes = [UInt8](repeating: 0, count: (width + 8) * bands + 8)
    }

    /// Converts a row of samples.
    mutating func convert(_ strip: borrowing ScaledJPEG.Strip, row: Int) {
        let (plane, start, width) = (strip.stride * strip.height, row * strip.stride, width)
        guard bands == 3 else {
            for index in 0..<width { bytes[index] = strip.planes[start + index] }
            return
        }
        let samples = unsafe strip.planes.span.bytes
        var span = bytes.mutableSpan
        var pixels = unsafe span.mutableBytes
        let end = start + (width + 7) & ~7
        precondition(start >= 0 && end + 2 * plane <= samples.byteCount && Self.room(for: width) <= pixels.byteCount)
        for column in stride(from: 0, to: width, by: 8) {
            let place = start &+ column
            let chroma = unsafe ChromaTerms(
                cb: Self.eight(samples, at: place &+ plane),
                cr: Self.eight(samples, at: place &+ 2 &* plane)
            )
            unsafe Self.store(Self.eight(samples, at: place), chroma, to: &pixels, at: 3 &* column)
        }
    }

    /// The bytes that are written for a row of three bands, eight pixels at a time.
    static func room(for width: Int) -> Int { 3 * ((width + 7) & ~7) + 2 }

    /// Converts eight pixels, and stores them as 24 bytes, and two more.
    ///
    /// The offset is not checked.
    @unsafe @inline(__always)
    static func store(_ y: SIMD8<UInt8>, _ chroma: ChromaTerms, to pixels: inout MutableRawSpan, at offset: Int) {
        let luma = edge_widened(y)
        let red = edge_clamped_to_byte(luma &+ chroma.red)
        let green = edge_clamped_to_byte(luma &+ chroma.green)
        let blue = edge_clamped_to_byte(luma &+ chroma.blue)
        let both = red | green &<< 8
        let (low, high) = (joined(edge_interleaved_low(both, blue)), joined(edge_interleaved_high(both, blue)))
        // In this order: each overwrites the last two bytes of the one before.
        unsafe pixels.storeBytes(of: low[0].littleEndian, toUncheckedByteOffset: offset, as: UInt64.self)
        unsafe pixels.storeBytes(of: low[1].littleEndian, toUncheckedByteOffset: offset &+ 6, as: UInt64.self)
        unsafe pixels.storeBytes(of: high[0].littleEndian, toUncheckedByteOffset: offset &+ 12, as: UInt64.self)
        unsafe pixels.storeBytes(of: high[1].littleEndian, toUncheckedByteOffset: offset &+ 18, as: UInt64.self)
    }

    /// Two pixels in the six lower bytes of each word, from pixels of four bytes.
    @inline(__always)
    private static func joined(_ pixels: SIMD8<Int16>) -> SIMD2<UInt64> {
        // Both are vectors of 16 bytes, and any bits are numbers.
        let pairs = unsafe unsafeBitCast(pixels, to: SIMD2<UInt64>.self)
        return pairs & SIMD2(repeating: 0xFF_FFFF) | (pairs &>> 8 & SIMD2(repeating: 0xFFFF_FF00_0000))
    }

    /// The offset is not checked.
    @unsafe @inline(__always)
    static func eight(_ samples: RawSpan, at offset: Int) -> SIMD8<UInt8> {
        // Any bits are 8-bit numbers.
        unsafe samples.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD8<UInt8>.self)
    }
}
