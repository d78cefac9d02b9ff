import ImagePlan

/// The header of a Windows or OS/2 bitmap (BITMAPCOREHEADER to BITMAPV5HEADER) in a BMP file or an icon.
struct BitmapHeader: Hashable {
    /// How pixels are stored (`biCompression`).
    enum Storage: Hashable {
        /// Palette indices of 1, 2, 4 or 8 bits.
        case indexed
        /// Run-length coded indices of 4 or 8 bits.
        case runs
        /// 24 bits per pixel: blue, green, red.
        case bytes
        /// 16 or 32 bits per pixel, split by masks.
        case masked(BitmapMasks)
    }

    let width: Int
    let height: Int
    let bitsPerPixel: Int
    let isTopDown: Bool
    let storage: Storage
    /// Red, green and blue of each palette entry.
    let palette: [(red: UInt8, green: UInt8, blue: UInt8)]
    /// The offset after header, masks and palette.
    let end: Int

    /// Whether pixels have an alpha channel.
    var hasAlpha: Bool { if case .masked(let masks) = storage { masks.alpha.width > 0 } else { false } }

    /// The bytes of a stored row, padded to a multiple of four.
    var stride: Int { (width * bitsPerPixel + 31) / 32 * 4 }

    static func == (left: BitmapHeader, right: BitmapHeader) -> Bool {
        left.width == right.width && left.height == right.height && left.storage == right.storage
            && left.end == right.end && left.isTopDown == right.isTopDown && left.bitsPerPixel == right.bitsPerPixel
            && left.palette.elementsEqual(right.palette, by: ==)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(width)
        hasher.combine(height)
        hasher.combine(end)
    }

    /// The longest side: more than any output format holds, and far from overflow in products.
    private static let longestSide = 65_535

    /// Parses the header at `start`.
    ///
    /// - Parameter isIcon: whether a mask follows the pixels and is included in the height; 32-bit icons have alpha.
    /// - Throws: `WorkerReply.Failure.broken`, or `unsupported` for unknown kinds and for JPEG and PNG inside a bitmap.
    init(_ bytes: Span<UInt8>, at start: Int, isIcon: Bool) throws(WorkerReply.Failure) {
        let reader = BitmapReader(start: start)
        let size = try reader.word(bytes, 0)
        guard [12, 16, 40, 52, 56, 64, 108, 124].contains(size) else {
            throw .unsupported("a bitmap header of \(size) bytes")
        }
        let isCore = size == 12
        let (width, signedHeight): (Int, Int)
        if isCore {
            (width, signedHeight) = try (reader.half(bytes, 4), reader.half(bytes, 6))
        } else {
            (width, signedHeight) = try (reader.signedWord(bytes, 4), reader.signedWord(bytes, 8))
        }
        isTopDown = signedHeight < 0
        let height = isIcon ? abs(signedHeight) / 2 : abs(signedHeight)
        guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else {
            throw .broken("a bitmap of \(width) x \(signedHeight)")
        }
        (self.width, self.height) = (width, height)
        let bits = try reader.half(bytes, isCore ? 10 : 14)
        bitsPerPixel = bits
        let compression = try size >= 40 ? reader.word(bytes, 16) : 0

        var end = start + size
        storage = try Self.storage(bytes, reader, size, bits, compression, isIcon: isIcon)
        if size == 40, compression == 3 { end += 12 }
        if size == 40, compression == 6 { end += 16 }
        if case .runs = storage, isTopDown { throw .broken("run-length coding in a top-down bitmap") }
        if bits <= 8 {
            let used = try size >= 40 ? reader.word(bytes, 32) : 0
            let count = used == 0 ? 1 << bits : used
            guard count <= 256 else { throw .broken("a palette of \(count) colours") }
            palette = try Self.palette(bytes, at: end, count: count, entry: isCore ? 3 : 4)
            end += count * (isCore ? 3 : 4)
        } else {
            palette = []
        }
        guard end <= bytes.count else { throw .broken("the bitmap ends within its header") }
        self.end = end
    }

    private static func storage(
        _ bytes: Span<UInt8>,
        _ reader: BitmapReader,
        _ size: Int,
        _ bits: Int,
        _ compression: Int,
        isIcon: Bool
    ) throws(WorkerReply.Failure) -> Storage {
        switch (compression, bits) {
        case (0, 1), (0, 2), (0, 4), (0, 8): return .indexed
        case (1, 8), (2, 4): return .runs
        case (0, 24): return .bytes
        case (0, 16): return .masked(.fiveBits)
        case (0, 32): return .masked(isIcon ? .eightBitsAndAlpha : .eightBits)
        case (3, 16), (3, 32), (6, 16), (6, 32):
            // After a header of 40 bytes and inside larger ones: the same offset.
            let hasAlpha = compression == 6 || size >= 56
            return .masked(
                try BitmapMasks(
                    red: BitmapMasks.Channel(reader.word(bytes, 40)),
                    green: BitmapMasks.Channel(reader.word(bytes, 44)),
                    blue: BitmapMasks.Channel(reader.word(bytes, 48)),
                    alpha: hasAlpha ? BitmapMasks.Channel(reader.word(bytes, 52)) : .none
                )
            )
        default: throw .unsupported("a bitmap of \(bits) bits with compression \(compression)")
        }
    }

    private static func palette(
        _ bytes: Span<UInt8>,
        at start: Int,
        count: Int,
        entry: Int
    ) throws(WorkerReply.Failure) -> [(red: UInt8, green: UInt8, blue: UInt8)] {
        guard start + count * entry <= bytes.count else { throw .broken("the bitmap ends within its palette") }
        return (0..<count).map { index in
            let place = start + index * entry
            return (bytes[place + 2], bytes[place + 1], bytes[place])
        }
    }
}

/// Reads little-endian numbers relative to a start, with bounds checks.
struct BitmapReader {
    let start: Int

    func half(_ bytes: Span<UInt8>, _ offset: Int) throws(WorkerReply.Failure) -> Int {
        let place = start + offset
        guard place >= 0, place + 2 <= bytes.count else { throw .broken("the bitmap ends within its header") }
        return Int(bytes[place]) | Int(bytes[place + 1]) << 8
    }

    func word(_ bytes: Span<UInt8>, _ offset: Int) throws(WorkerReply.Failure) -> Int {
        try half(bytes, offset) | half(bytes, offset + 2) << 16
    }

    func signedWord(_ bytes: Span<UInt8>, _ offset: Int) throws(WorkerReply.Failure) -> Int {
        Int(Int32(truncatingIfNeeded: try word(bytes, offset)))
    }
}
