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
