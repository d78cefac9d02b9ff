/// The primary image of a HEIF file and its transformations, for decoders that leave transformations to their caller.
///
/// libheif 1.15 mirrors only images with 8 bits per channel, drops the alpha plane of an image that is cropped or rotated by 90
/// degrees, and does not mirror the alpha plane. Without the transformations it returns the stored image with alpha; what remains
/// is a crop and an EXIF orientation.
package struct HEIFPicture: Sendable {
    package let placement: HEIFPlacement
    /// Whether the colours have been multiplied by alpha.
    package let isPremultiplied: Bool
    /// Whether the image has one channel besides alpha, with values of the limited range (H.273, VideoFullRangeFlag).
    package let isLimitedGrey: Bool
    private let transformations: HEIFPrimaryItem.TransformationPlaces

    /// Reads a whole file; `nil` if its boxes cannot be read.
    package init?(_ bytes: Span<UInt8>) {
        guard let item = try? HEIFHeader.primaryItem(bytes, of: bytes.count), let placement = item.placement else {
            return nil
        }
        self.placement = placement
        isPremultiplied = item.isPremultiplied
        isLimitedGrey = item.isGrey && item.colour?.isFullRange == false
        transformations = item.transformations
    }

    /// The file without its transformations; `nil` if it has none.
    ///
    /// Their boxes stay in place as free space (ISO/IEC 14496-12 §8.1.2), which decoders skip.
    package func untransformed(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard !transformations.types.isEmpty else { return nil }
        var file = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        for offset in transformations.types { file.replaceSubrange(offset..<offset + 4, with: Array("free".utf8)) }
        for offset in transformations.flags { file[offset] &= 0x7F }
        return file
    }
}

/// The visible part of a stored HEIF image and its orientation: the combined effect of all transformative properties.
///
/// `clap`, `irot` and `imir` of ISO/IEC 23008-12:2022 §6.5.9, §6.5.10 and §6.5.12.
package struct HEIFPlacement: Hashable, Sendable {
    /// The size before any transformation.
    package let stored: PixelSize
    /// The visible part, in stored pixels.
    package private(set) var visible: PixelRectangle
    /// Clockwise quarter turns, applied first.
    private var quarterTurns = 0
    /// Whether to swap left and right afterwards.
    private var isMirrored = false

    /// Places the whole image upright.
    init(stored: PixelSize) {
        self.stored = stored
        visible = PixelRectangle(left: 0, top: 0, width: stored.width, height: stored.height)
    }

    /// The rotation and mirroring as an EXIF orientation, 1–8.
    package var orientation: Int {
        let plain = [1, 6, 3, 8]
        let mirrored = [2, 5, 4, 7]
        return (isMirrored ? mirrored : plain)[quarterTurns]
    }

    /// The size of the visible part after orientation.
    private var shown: PixelSize { visible.size.oriented(orientation) }

    /// Rotates the visible part clockwise.
    mutating func turn(quarters: Int) {
        // After a mirror, rotation has the opposite direction.
        quarterTurns = (quarterTurns + (isMirrored ? -quarters : quarters) + 4) % 4
    }

    /// Swaps left and right.
    mutating func mirror() { isMirrored.toggle() }

    /// Crops the visible part; returns `false` if nothing is left.
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
            guard denominator > 0 else { throw .malformed("a clean aperture has a denominator of 0") }
            return Double(Int32(truncatingIfNeeded: numerator)) / Double(denominator)
        }
        (width, height) = (try fraction(0), try fraction(1))
        offset = (try fraction(2), try fraction(3))
        guard width > 0, height > 0 else { throw .malformed("a clean aperture is empty") }
    }

    /// The rectangle in whole pixels; it may exceed the image.
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
    /// Crops the visible part to a clean aperture; returns `false` if nothing is left.
    mutating func crop(to aperture: CleanAperture) -> Bool { crop(to: aperture.rectangle(in: shown)) }
}

/// The colour description of an AVIF or HEIC file, as code points of ITU-T H.273 (`nclx`, ISO/IEC 14496-12 §12.1.5).
package struct HEIFColour: Hashable, Sendable {
    /// ColourPrimaries, H.273 table 2.
    package let primaries: Int
    /// TransferCharacteristics, H.273 table 3.
    package let transfer: Int
    /// VideoFullRangeFlag, H.273 §8.3.
    let isFullRange: Bool

    /// The size of the box, in bytes, up to the transfer characteristics.
    private static let length = 8

    /// Reads the description of the primary item; `nil` if there is none or the file cannot be read.
    ///
    /// - Parameter bytes: the whole file.
    package init?(_ bytes: Span<UInt8>) {
        guard let colour = try? HEIFHeader.primaryItem(bytes, of: bytes.count).colour else { return nil }
        self = colour
    }

    /// Reads the content of a `colr` box; `nil` for other types.
    init?(_ bytes: Span<UInt8>, in content: Range<Int>) {
        guard content.count >= Self.length, content.upperBound <= bytes.count,
            bytes.has("nclx", at: content.lowerBound),
            let primaries = try? bytes.bigEndian(content.lowerBound + 4, bytes: 2, of: bytes.count),
            let transfer = try? bytes.bigEndian(content.lowerBound + 6, bytes: 2, of: bytes.count)
        else { return nil }
        self.primaries = primaries
        self.transfer = transfer
        // The matrix coefficients take two bytes.
        isFullRange = content.count < Self.length + 3 || bytes[content.lowerBound + Self.length + 2] & 0x80 != 0
    }
}
