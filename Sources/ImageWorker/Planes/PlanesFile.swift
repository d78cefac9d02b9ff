import ImagePlan

/// The format of mezzanines: planes of samples, coded without loss in blocks (`PlaneBlock`).
///
/// Opaque images are Y, Cb and Cr (JFIF) with colours of four pixels each; results are at most four sevenths as wide as a mezzanine, so
/// that they lose nothing by that. Images with alpha are G, R - G, B - G and A at full size.
///
/// A JPEG of a quality at which results look the same has two thirds of the bytes, but takes four times as long to encode and to
/// decode (Benchmarks/README.md).
///
/// A file is a header, an ICC profile, and strips of rows from top to bottom. The header is `magic`, width and height in four bytes each,
/// the layout in a byte, and the profile's length in four bytes, least significant byte first. A strip consists of all components' rows of blocks; a row of blocks is the bits of each block in four
/// bits, and their words. Samples beyond the right and lower edge only fill blocks. The row above the first one is 128 throughout.
struct PlanesFile: Equatable {
    var size: PixelSize
    var layout: Layout
    /// The bytes of the profile of the samples' colour space; none for sRGB.
    var profileLength: Int

    /// The components.
    enum Layout: UInt8 {
        case colour = 3
        case alpha = 4

        /// The interleaved samples of a pixel.
        var bands: Int { Int(rawValue) }
        /// Rows of pixels per strip.
        var rows: Int { self == .colour ? 16 : 8 }

        /// The size of a component's part of a strip in blocks.
        func blocks(_ component: Int, width: Int) -> PixelSize {
            guard self == .colour else { return PixelSize(width: (width + 7) / 8, height: 1) }
            let across = (width + 15) / 16
            return component == 0 ? PixelSize(width: 2 * across, height: 2) : PixelSize(width: across, height: 1)
        }

        /// The number of components.
        var components: Int { bands }
    }

    static let magic = Array("EPP1".utf8)
    /// The bytes of a header.
    static let headerSize = 17
    /// The longest profile.
    static let longestProfile = 65_536
    /// The longest side.
    static let longestSide = 65_535

    /// Reads a header; `nil` for a damaged one, or too few bytes for all blocks.
    init?(_ file: Span<UInt8>) {
        guard file.count >= Self.headerSize, Self.magic.indices.allSatisfy({ file[$0] == Self.magic[$0] }),
            let layout = Layout(rawValue: file[12])
        else { return nil }
        func number(_ start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[start + $1]) << (8 * $1) } }
        size = PixelSize(width: number(4), height: number(8))
        self.layout = layout
        profileLength = number(13)
        guard (1...Self.longestSide).contains(size.width), (1...Self.longestSide).contains(size.height),
            profileLength <= Self.longestProfile, file.count - start >= least
        else { return nil }
    }

    init(size: PixelSize, layout: Layout, profileLength: Int = 0) {
        self.size = size
        self.layout = layout
        self.profileLength = profileLength
    }

    /// The header's bytes.
    var header: [UInt8] {
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        return Self.magic + bytes(size.width) + bytes(size.height) + [layout.rawValue] + bytes(profileLength)
    }

    /// The offset of the first strip.
    var start: Int { Self.headerSize + profileLength }

    /// The profile in a file; `nil` for sRGB.
    func profile(in file: Span<UInt8>) -> [UInt8]? {
        profileLength == 0 ? nil : (Self.headerSize..<start).map { file[$0] }
    }

    var strips: Int { (size.height + layout.rows - 1) / layout.rows }

    /// The fewest bytes of strips, for blocks without differences.
    private var least: Int {
        let strip = (0..<layout.components).reduce(0) { sum, component in
            let blocks = layout.blocks(component, width: size.width)
            return sum + (blocks.width + 1) / 2 * blocks.height
        }
        return strip * strips
    }
}

/// The samples of a component's part of a strip, below the last row of the strip before.
struct PlaneStrip {
    /// The blocks in both directions.
    let blocks: PixelSize
    /// The bytes from row to row.
    let stride: Int
    /// The row above, then the strip's rows.
    var samples: [UInt8]

    init(blocks: PixelSize) {
        self.blocks = blocks
        stride = blocks.width * PlaneBlock.side
        samples = [UInt8](repeating: 128, count: (blocks.height * PlaneBlock.side + 1) * stride)
    }

    /// The offset of a row's first sample.
    func row(_ index: Int) -> Int { (index + 1) * stride }

    /// Keeps the last row for the next strip.
    private mutating func advance() {
        let last = row(blocks.height * PlaneBlock.side - 1)
        for index in 0..<stride { samples[index] = samples[last + index] }
    }

    /// Appends the strip's blocks to a file.
    ///
    /// - Parameter scratch: room for a row of blocks.
    mutating func encode(to file: inout [UInt8], _ scratch: inout [UInt8]) {
        let head = (blocks.width + 1) / 2
        let needed = head + blocks.width * PlaneBlock.largest
        if scratch.count < needed { scratch = [UInt8](repeating: 0, count: needed) }
        for blockRow in 0..<blocks.height {
            var place = head
            var nibbles: UInt8 = 0
            let source = unsafe samples.span.bytes
            var span = scratch.mutableSpan
            var target = unsafe span.mutableBytes
            for block in 0..<blocks.width {
                let offset = row(blockRow &* 8) &+ block &* 8
                let bits = PlaneBlock.encode(source, at: offset, stride: stride, to: &target, at: place)
                nibbles = block & 1 == 0 ? UInt8(bits) : nibbles | UInt8(bits) &<< 4
                target.storeBytes(of: nibbles, toByteOffset: block &>> 1, as: UInt8.self)
                place &+= 8 &* bits
            }
            file.append(contentsOf: scratch[..<place])
        }
        advance()
    }

    /// Reads the strip's blocks.
    ///
    /// - Parameter place: the offset in the file, which is advanced.
    /// - Returns: `false` for damaged data.
    mutating func decode(_ file: Span<UInt8>, _ place: inout Int) -> Bool {
        advance()
        let head = (blocks.width + 1) / 2
        let (stride, blocks) = (stride, blocks)
        let bytes = unsafe file.bytes
        for blockRow in 0..<blocks.height {
            guard file.count - place >= head else { return false }
            let nibbles = place
            place += head
            let first = row(blockRow * 8)
            var span = samples.mutableSpan
            var target = unsafe span.mutableBytes
            for block in 0..<blocks.width {
                let bits = Int(file[nibbles &+ block &>> 1] &>> (4 &* UInt8(block & 1)) & 15)
                guard bits <= 8, file.count &- place >= 8 &* bits else { return false }
                PlaneBlock.decode(
                    bytes,
                    at: place,
                    bits: bits,
                    to: &target,
                    at: first &+ block &* 8,
                    stride: stride
                )
                place &+= 8 &* bits
            }
        }
        return true
    }
}
