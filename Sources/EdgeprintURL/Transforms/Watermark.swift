internal import ImagePlan

/// An image or a line of text on top of another image.
public struct Watermark: Hashable, Sendable {
    /// Where a watermark stands.
    public enum Place: String, Hashable, Sendable, CaseIterable {
        case center, north, south, west, east, northwest, northeast, southwest, southeast
        /// Repeated over the whole image, from the top left corner.
        case tile
    }

    /// The size of an overlaid image, which is never larger than the image below.
    public enum Scale: Hashable, Sendable {
        /// A multiple of its own size, 0.01–16, multiplied by the density.
        case own(Double)
        /// The largest size that fits this fraction of the image's width and height, more than 0 to 1.
        case fraction(Double)

        fileprivate var text: String {
            switch self {
            case .own(let factor): factor == 1 ? "" : NumberText.of(factor) + "x"
            case .fraction(let fraction): NumberText.of(fraction)
            }
        }
    }

    private enum Mark: Hashable, Sendable {
        case image(path: String, Scale)
        case text(String, size: Double, ImageColor, font: String)
    }

    private let mark: Mark
    private var place = Place.center
    private var x: Length = 0
    private var y: Length = 0
    private var opacity = 1.0

    /// An image.
    ///
    /// - Parameter path: `SOURCE/PATH`, not percent-encoded.
    public static func image(_ path: String, scale: Scale = .own(1)) -> Watermark {
        Watermark(mark: .image(path: path, scale))
    }

    /// A line of text.
    ///
    /// - Parameters:
    ///   - text: up to 128 bytes of UTF-8.
    ///   - size: pixels per em, 4–512, multiplied by the density.
    ///   - font: a family that the configuration permits.
    public static func text(
        _ text: String,
        size: Double = 24,
        color: ImageColor = .white,
        font: String = "sans"
    ) -> Watermark {
        Watermark(mark: .text(text, size: size, color, font: font))
    }

    private init(mark: Mark) {
        self.mark = mark
    }

    /// The watermark at a place.
    ///
    /// - Parameters:
    ///   - x: inwards from an edge, to the right of the middle, or the gap between tiles; pixels are multiplied by the density.
    ///   - y: inwards from an edge, below the middle, or the gap between tiles; pixels are multiplied by the density.
    public func placed(_ place: Place, x: Length = 0, y: Length = 0) -> Watermark {
        var result = self
        (result.place, result.x, result.y) = (place, x, y)
        return result
    }

    /// The watermark with an opacity, 0–1.
    public func opacity(_ opacity: Double) -> Watermark {
        var result = self
        result.opacity = opacity
        return result
    }

    /// The value of `watermark`: defaults are empty, and left out at the end.
    var text: String {
        let common = [
            place == .center ? "" : place.rawValue, x == 0 ? "" : x.text, y == 0 ? "" : y.text,
        ]
        let opacity = opacity == 1 ? "" : NumberText.of(opacity)
        var fields: [String]
        switch mark {
        case .image(let path, let scale): fields = [Self.encoded(path)] + common + [scale.text, opacity]
        case .text(let text, let size, let color, let font):
            fields = [MarkText.escaped(text)] + common + [size == 24 ? "" : NumberText.of(size), opacity]
            fields += [color == .white ? "" : color.text, font == "sans" ? "" : font]
        }
        while fields.last?.isEmpty == true { fields.removeLast() }
        return fields.joined(separator: ",")
    }

    /// A path with everything encoded that must not stand in a path, and commas, which separate fields.
    static func encoded(_ path: String) -> String {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if PercentCoding.isPathByte(byte), byte != UInt8(ascii: ",") {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
