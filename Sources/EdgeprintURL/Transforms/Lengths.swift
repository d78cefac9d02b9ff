/// A coordinate or a side: pixels, or a share of the image's side.
public enum Length: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Whole pixels; negative ones are valid for coordinates only.
    case pixels(Int)
    /// Percent of the image's width or height: more than 0 to 100 for sides, −100 to 100 for coordinates.
    case percent(Double)

    /// Creates a length in pixels.
    public init(integerLiteral pixels: Int) {
        self = .pixels(pixels)
    }

    var text: String {
        switch self {
        case .pixels(let pixels): String(pixels)
        case .percent(let percent): NumberText.of(percent) + "%"
        }
    }
}

/// The radius of a corner.
public enum CornerRadius: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Pixels, 0–16384, multiplied by the density.
    case pixels(Double)
    /// Percent of the shorter side, 0–100.
    case percent(Double)
    /// Half of the shorter side: a circle or a pill.
    case maximum

    /// Creates a radius in pixels.
    public init(integerLiteral pixels: Int) {
        self = .pixels(Double(pixels))
    }

    /// Creates a radius in pixels.
    public init(floatLiteral pixels: Double) {
        self = .pixels(pixels)
    }

    var text: String {
        switch self {
        case .pixels(let pixels): NumberText.of(pixels)
        case .percent(let percent): NumberText.of(percent) + "%"
        case .maximum: "max"
        }
    }
}

/// How a resize fills its box if both sides are given.
public enum Fit: String, Hashable, Sendable, CaseIterable {
    /// Scales the image to fit inside the box.
    case contain
    /// Scales the image to cover the box, and cuts off the rest.
    case cover
    /// As `cover`, but a box beyond the image is only cut to it: each side of the result is that of the box or the image's.
    case crop
    /// Stretches the image to the box.
    case fill
    /// Scales the image to fit, on a canvas of the box's size.
    case pad
    /// Scales the image to cover the box, without cropping.
    case outside
    /// `crop` if image and box are both upright or both not, otherwise `contain`.
    case auto
    /// `contain`, in a box with its sides exchanged if that is upright and the image lies, or the reverse.
    case adaptive
}

/// The part of an image that `cover`, `pad` and a crop without coordinates keep.
public struct Gravity: Hashable, Sendable {
    let text: String

    /// The middle.
    public static let center = Gravity(text: "center")
    /// The middle of the top edge.
    public static let north = Gravity(text: "north")
    /// The middle of the bottom edge.
    public static let south = Gravity(text: "south")
    /// The middle of the left edge.
    public static let west = Gravity(text: "west")
    /// The middle of the right edge.
    public static let east = Gravity(text: "east")
    /// The top left corner.
    public static let northwest = Gravity(text: "northwest")
    /// The top right corner.
    public static let northeast = Gravity(text: "northeast")
    /// The bottom left corner.
    public static let southwest = Gravity(text: "southwest")
    /// The bottom right corner.
    public static let southeast = Gravity(text: "southeast")
    /// The most eye-catching part.
    public static let attention = Gravity(text: "attention")
    /// The part with the most detail.
    public static let entropy = Gravity(text: "entropy")
    /// The part that keeps the most of the subject, faces first.
    public static let subject = Gravity(text: "subject")

    /// A focal point in fractions of the width and the height, 0–1.
    public static func point(x: Double, y: Double) -> Gravity {
        Gravity(text: "\(NumberText.of(x)),\(NumberText.of(y))")
    }

    /// The gravity moved away from the edges that it names, or to the right and down from the middle; negative to the other side.
    ///
    /// Only valid for `center` and the compass directions.
    public func offset(x: Length, y: Length) -> Gravity {
        Gravity(text: "\(text),\(x.text),\(y.text)")
    }
}
