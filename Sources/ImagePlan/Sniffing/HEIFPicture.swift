/// A HEIF file's primary picture apart from its transformations, for a decoder that is to leave them to its caller.
///
/// libheif 1.15 mirrors eight bits a channel alone, drops the alpha plane of a picture that is cut or turned on its side, and leaves
/// that of a mirrored one as it is. Without the transformations it gives the stored picture with its alpha, and what is left to do are
/// a crop and an EXIF orientation.
package struct HEIFPicture: Sendable {
    package let placement: HEIFPlacement
    private let transformations: HEIFPrimaryItem.TransformationPlaces

    /// Reads a whole file; `nil` where its boxes cannot be read.
    package init?(_ bytes: Span<UInt8>) {
        guard let item = try? HEIFHeader.primaryItem(bytes, of: bytes.count), let placement = item.placement else {
            return nil
        }
        self.placement = placement
        transformations = item.transformations
    }

    /// The file with the transformations taken out; `nil` where it has none.
    ///
    /// Their boxes stay where they are, as boxes of free space (ISO/IEC 14496-12 §8.1.2), which no decoder need understand.
    package func untransformed(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard !transformations.types.isEmpty else { return nil }
        var file = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        for offset in transformations.types { file.replaceSubrange(offset..<offset + 4, with: Array("free".utf8)) }
        for offset in transformations.flags { file[offset] &= 0x7F }
        return file
    }
}

/// Which part of a stored HEIF picture is shown, and how it is turned: what all of its transformative properties come to, in their order.
///
/// `clap`, `irot` and `imir` of ISO/IEC 23008-12:2022 §6.5.9, §6.5.10 and §6.5.12.
package struct HEIFPlacement: Hashable, Sendable {
    /// The size before any transformation.
    package let stored: PixelSize
    /// What is shown, in stored pixels.
    package private(set) var visible: PixelRectangle
    /// Quarter turns clockwise, done first.
    private var quarterTurns = 0
    /// Then left and right are exchanged.
    private var isMirrored = false

    /// The whole picture, upright.
    init(stored: PixelSize) {
        self.stored = stored
        visible = PixelRectangle(left: 0, top: 0, width: stored.width, height: stored.height)
    }

    /// The turning as an EXIF orientation, 1–8.
    package var orientation: Int {
        let plain = [1, 6, 3, 8]
        let mirrored = [2, 5, 4, 7]
        return (isMirrored ? mirrored : plain)[quarterTurns]
    }

    /// Whether the stored picture is shown as it is.
    package var isPlain: Bool { orientation == 1 && visible.size == stored }

    /// The size that is shown.
    private var shown: PixelSize { visible.size.oriented(orientation) }

    /// Turns what is shown clockwise.
    mutating func turn(quarters: Int) {
        // Behind a mirror a turn runs the other way round.
        quarterTurns = (quarterTurns + (isMirrored ? -quarters : quarters) + 4) % 4
    }

    /// Exchanges left and right.
    mutating func mirror() { isMirrored.toggle() }

    /// Cuts what is shown; `false` where nothing is left.
    mutating func crop(to rectangle: PixelRectangle) -> Bool {
        guard var part = rectangle.intersected(with: shown) else { return false }
        var size = shown
        if isMirrored { part.left = size.width - part.right }
        for _ in 0..<quarterTurns {
            part = PixelRectangle(
                left: part.top,
                top: size.width - part.right,
                width: part.height,
                height: part.width
            )
            size = size.transposed
        }
        part.left += visible.left
        part.top += visible.top
        visible = part
        return true
    }
}

/// A clean aperture (ISO/IEC 14496-12 §12.1.4): size and offset of the centre, each a fraction.
struct CleanAperture {
    private let width: Double
    private let height: Double
    private let offset: (x: Double, y: Double)

    /// Reads the content of a `clap` box.
    ///
    /// - Throws: `SniffStop.malformed` for a denominator of 0 or a negative size.
    init(_ bytes: Span<UInt8>, in content: Range<Int>) throws(SniffStop) {
        func fraction(_ index: Int) throws(SniffStop) -> Double {
            let offset = content.lowerBound + 8 * index
            let numerator = try bytes.bigEndian(offset, bytes: 4, of: content.upperBound)
            let denominator = try bytes.bigEndian(offset + 4, bytes: 4, of: content.upperBound)
            guard denominator > 0 else { throw .malformed("a clean aperture divides by zero") }
            return Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)
        }
        (width, height) = (try fraction(0), try fraction(1))
        offset = (try fraction(2), try fraction(3))
        guard width > 0, height > 0 else { throw .malformed("a clean aperture is empty") }
    }

    /// The part of a picture that it shows, in whole pixels; it may leave the picture.
    func rectangle(in size: PixelSize) -> PixelRectangle {
        let (wide, high) = (width.rounded(), height.rounded())
        return PixelRectangle(
            left: Int((offset.x + (Double(size.width) - wide) / 2).rounded(.down)),
            top: Int((offset.y + (Double(size.height) - high) / 2).rounded(.down)),
            width: Int(wide),
            height: Int(high)
        )
    }
}

extension HEIFPlacement {
    /// Cuts what is shown to a clean aperture; `false` where nothing is left.
    mutating func crop(to aperture: CleanAperture) -> Bool { crop(to: aperture.rectangle(in: shown)) }
}

/// What an AVIF or HEIC file says of its RGB values in the numbers of ITU-T H.273 (ISO/IEC 14496-12 §12.1.5, `nclx`).
package struct HEIFColour: Hashable, Sendable {
    /// ColourPrimaries, H.273 table 2.
    package let primaries: Int
    /// TransferCharacteristics, H.273 table 3.
    package let transfer: Int

    /// Bytes of the box up to the transfer characteristics.
    private static let length = 8

    /// Reads the primary item's; `nil` where the file says none, or cannot be read.
    ///
    /// - Parameter bytes: the whole file.
    package init?(_ bytes: Span<UInt8>) {
        guard let colour = try? HEIFHeader.primaryItem(bytes, of: bytes.count).colour else { return nil }
        self = colour
    }

    /// Reads the content of a `colr` box; `nil` for other kinds.
    init?(_ bytes: Span<UInt8>, in content: Range<Int>) {
        guard content.count >= Self.length, content.upperBound <= bytes.count,
            bytes.has("nclx", at: content.lowerBound),
            let primaries = try? bytes.bigEndian(content.lowerBound + 4, bytes: 2, of: bytes.count),
            let transfer = try? bytes.bigEndian(content.lowerBound + 6, bytes: 2, of: bytes.count)
        else { return nil }
        self.primaries = primaries
        self.transfer = transfer
    }
}
