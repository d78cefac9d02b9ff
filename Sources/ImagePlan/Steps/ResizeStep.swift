/// `w`, `h`, `min-w` and `min-h`: the resize of a plan, of which there is at most one.
package struct ResizeStep: TransformStep {
    /// The longest side in pixels, after dpr scaling.
    package static let longestSide = 16_384

    package static let names = ["w", "h", "min-w", "min-h"]
    package static let attributes = ["fit", "gravity", "enlarge", "linear", "dpr"]
    package static let forms = [
        ParameterForm("w", .integer(sides, .pixels), example: "800"),
        ParameterForm("h", .integer(sides, .pixels), example: "600"),
        ParameterForm("min-w", .integer(sides, .pixels), example: "320"),
        ParameterForm("min-h", .integer(sides, .pixels), example: "320"),
    ]
    package static let attributeForms = [
        ParameterForm(
            "fit",
            .choice(Fit.allCases.map(\.rawValue), otherNames: Fit.otherNames),
            example: Fit.cover.rawValue
        ),
        ParameterForm("enlarge", .flag, example: "1"),
        ParameterForm("linear", .flag, example: "1"),
    ]
    private static let sides = 1...longestSide
    package static let isRepeatable = false

    /// Pixels, 1–16384; at least one side or one least side is given.
    package let width: Int?
    package let height: Int?
    /// The least sides of the scaled image, 1–16384, for which it is enlarged even without `enlarge`; only with `contain` and `outside`.
    package let leastWidth: Int?
    package let leastHeight: Int?
    /// `contain` where only one side is given.
    package let fit: Fit
    /// The centre, except for `cover`, `crop`, `auto` and `pad` (never one that is searched for `pad`, which cuts nothing).
    package let gravity: Gravity
    /// Whether the image may be enlarged.
    package let enlarge: Bool
    /// Whether pixels are averaged in linear light instead of as stored, so that fine detail keeps its brightness.
    ///
    /// Sources are then loaded in full, since decoders and mezzanines reduce stored values.
    package let isLinear: Bool

    /// Creates a resize; attributes without effect are reset to their defaults.
    package init(
        width: Int?,
        height: Int?,
        leastWidth: Int? = nil,
        leastHeight: Int? = nil,
        fit: Fit = .contain,
        gravity: Gravity = .center,
        enlarge: Bool = false,
        isLinear: Bool = false
    ) {
        self.width = width
        self.height = height
        let stated = width == nil || height == nil ? Fit.contain : fit
        // What may be enlarged covers the whole box.
        let effective = stated == .crop && enlarge ? Fit.cover : stated
        self.fit = effective
        self.leastWidth = effective.keepsWhole ? leastWidth : nil
        self.leastHeight = effective.keepsWhole ? leastHeight : nil
        self.gravity =
            switch effective {
            case .contain, .fill, .outside: .center
            case .cover, .crop, .auto: gravity
            case .pad: gravity.needsPixels ? .center : gravity
            }
        self.enlarge = enlarge
        self.isLinear = isLinear
    }

    package static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self? {
        var sides: [String: Int] = [:]
        for parameter in parameters {
            let side = try parameter.integer(in: Self.sides)
            sides[parameter.name] =
                parameter.isInDevicePixels
                ? side : try context.scaled(FixedDecimal(side), of: parameter, atMost: longestSide).rounded
        }
        let fit: Fit = try context["fit"]?.keyword(otherNames: Fit.otherNames) ?? .contain
        if let least = parameters.first(where: { $0.name.hasPrefix("min-") }), sides["w"] != nil, sides["h"] != nil,
            !fit.keepsWhole
        {
            throw least.error("has no meaning with fit=\(fit.rawValue), which frames the image; only with contain or outside")
        }
        return ResizeStep(
            width: sides["w"],
            height: sides["h"],
            leastWidth: sides["min-w"],
            leastHeight: sides["min-h"],
            fit: fit,
            gravity: context.gravity.scaled(by: context.dpr),
            enlarge: try context["enlarge"]?.flag() ?? false,
            isLinear: try context["linear"]?.flag() ?? false
        )
    }

    package static func check(attribute: Parameter) throws(RequestError) {
        switch attribute.name {
        case "fit": _ = try attribute.keyword(Fit.self, otherNames: Fit.otherNames)
        case "enlarge", "linear": _ = try attribute.flag()
        default: break
        }
    }

    package var parameters: [Parameter] {
        zip(Self.names, [width, height, leastWidth, leastHeight]).compactMap { name, side in
            side.map { Parameter(name, String($0)) }
        }
    }

    package var attributeParameters: [Parameter] {
        var attributes: [Parameter] = []
        if fit != .contain { attributes.append(Parameter("fit", fit.rawValue)) }
        if gravity != .center { attributes.append(Parameter("gravity", gravity.text)) }
        if enlarge { attributes.append(Parameter("enlarge", "1")) }
        if isLinear { attributes.append(Parameter("linear", "1")) }
        return attributes
    }

    package var makesAlpha: Bool { fit == .pad }

    package var gainMapFollows: Bool { true }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        let geometry = geometry(for: picture.size)
        guard geometry.scaled == geometry.output else { return PictureShape(size: geometry.output) }
        let horizontal = Double(geometry.scaled.width) / Double(picture.size.width)
        let vertical = Double(geometry.scaled.height) / Double(picture.size.height)
        return PictureShape(
            size: geometry.output,
            corners: picture.corners.scaled(by: min(horizontal, vertical)).fitted(to: geometry.output)
        )
    }

    /// Reads every source pixel once and computes every result pixel with a separable kernel; in linear light in floats.
    ///
    /// A search for the place of a crop comes on top.
    package func cost(on picture: PictureShape) -> Int {
        let geometry = geometry(for: picture.size)
        let cost = picture.size.pixels.addingSaturated(geometry.scaled.pixels.multipliedSaturated(by: 8))
        let total = isLinear ? cost.multipliedSaturated(by: Self.linearFactor) : cost
        guard case .crop(.searched(_, let gravity)) = geometry.framing else { return total }
        return total.addingSaturated(gravity.searchCost(in: geometry.scaled))
    }

    /// How many times as long a resize in linear light takes.
    private static let linearFactor = 6
}

/// How a resize fills its box if both sides are given.
package enum Fit: String, Hashable, Sendable, CaseIterable {
    /// Scales the image to fit inside the box.
    case contain
    /// Scales the image to cover the box, and cuts off the rest; a box beyond the image shrinks and keeps its shape.
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

    /// Whether the result is the scaled image, undistorted and whole.
    var keepsWhole: Bool { self == .contain || self == .outside }

    /// The names in CSS, SDWebImage and other image proxies, used for suggestions.
    static let otherNames = [
        "aspectfill": "cover", "aspectfit": "contain", "bounds": "contain", "clip": "contain", "inside": "contain", "letterbox": "pad", "max": "contain", "scale": "fill", "stretch": "fill",
    ]
}

/// The sizes of a resize: the image is scaled, then framed.
package struct ResizeGeometry: Hashable, Sendable {
    /// What happens after scaling.
    package enum Framing: Hashable, Sendable {
        case none
        /// `cover`: cropped to the box.
        case crop(CropPlacement)
        /// `pad`: placed on a canvas of the given size, its top left corner at `left`, `top`.
        case canvas(PixelSize, left: Int, top: Int)
    }

    /// The size of the scaled image, before framing.
    package let scaled: PixelSize
    package let framing: Framing

    /// The size of the result.
    package var output: PixelSize {
        switch framing {
        case .none: scaled
        case .crop(let placement): placement.size
        case .canvas(let size, _, _): size
        }
    }
}

extension ResizeStep {
    /// The sizes of the resize for an image whose sides are at least 1.
    package func geometry(for source: PixelSize) -> ResizeGeometry {
        guard let width, let height else {
            return ResizeGeometry(scaled: atLeast(scaledToOneSide(source), of: source), framing: .none)
        }
        let box = PixelSize(width: width, height: height)
        switch fit {
        case .contain:
            return ResizeGeometry(scaled: atLeast(contained(source, in: box), of: source), framing: .none)
        case .cover:
            return covering(source, box: box)
        case .crop:
            return cropping(source, box: box)
        case .auto:
            if (source.width >= source.height) == (width >= height) {
                return enlarge ? covering(source, box: box) : cropping(source, box: box)
            }
            return ResizeGeometry(scaled: contained(source, in: box), framing: .none)
        case .fill:
            let clamped = PixelSize(width: min(width, source.width), height: min(height, source.height))
            return ResizeGeometry(scaled: enlarge ? box : clamped, framing: .none)
        case .pad:
            let scaled = contained(source, in: box)
            let corner = gravity.corner(of: scaled, onCanvas: box)
            let framing = ResizeGeometry.Framing.canvas(box, left: corner.left, top: corner.top)
            return ResizeGeometry(scaled: scaled, framing: scaled == box ? .none : framing)
        case .outside:
            return ResizeGeometry(scaled: atLeast(outside(source, box), of: source), framing: .none)
        }
    }

    /// The smallest size with the source's aspect ratio that covers a box; the source's where that would enlarge it and must not.
    private func outside(_ source: PixelSize, _ box: PixelSize) -> PixelSize {
        enlarge || box.isContained(in: source) ? Self.covering(source, box) : source
    }

    /// The image around a box, cut where it exceeds the box.
    private func cropping(_ source: PixelSize, box: PixelSize) -> ResizeGeometry {
        let scaled = outside(source, box)
        let part = PixelSize(width: min(box.width, scaled.width), height: min(box.height, scaled.height))
        return Self.cut(scaled, to: part, gravity: gravity)
    }

    /// A scaled size, enlarged to the least sides.
    private func atLeast(_ size: PixelSize, of source: PixelSize) -> PixelSize {
        var size = size
        if let leastWidth, size.width < leastWidth {
            size = PixelSize(width: leastWidth, height: .side(source.height * leastWidth, dividedBy: source.width))
        }
        if let leastHeight, size.height < leastHeight {
            size = PixelSize(width: .side(source.width * leastHeight, dividedBy: source.height), height: leastHeight)
        }
        return size
    }

    /// The size if only one side is given: the other follows the aspect ratio.
    private func scaledToOneSide(_ source: PixelSize) -> PixelSize {
        if let width {
            guard enlarge || width < source.width else { return source }
            return PixelSize(width: width, height: .side(source.height * width, dividedBy: source.width))
        }
        guard let height, enlarge || height < source.height else { return source }
        return PixelSize(width: .side(source.width * height, dividedBy: source.height), height: height)
    }

    /// The largest size with the source's aspect ratio that fits a box; not larger than the source unless `enlarge` is set.
    private func contained(_ source: PixelSize, in box: PixelSize) -> PixelSize {
        if !enlarge && source.width <= box.width && source.height <= box.height { return source }
        // box.width ÷ source.width ≤ box.height ÷ source.height: the width is the limit.
        if box.width * source.height <= box.height * source.width {
            return PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
        }
        return PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
    }

    /// The smallest size with the source's aspect ratio that covers the box, and the crop; a box beyond the source shrinks first.
    private func covering(_ source: PixelSize, box: PixelSize) -> ResizeGeometry {
        if !enlarge && (box.width > source.width || box.height > source.height) {
            // The largest box with the same aspect ratio inside the source: nothing is scaled.
            let shrunk =
                if source.width * box.height <= source.height * box.width {
                    PixelSize(width: source.width, height: .side(box.height * source.width, dividedBy: box.width))
                } else {
                    PixelSize(width: .side(box.width * source.height, dividedBy: box.height), height: source.height)
                }
            return Self.cut(source, to: shrunk, gravity: gravity)
        }
        return Self.cut(Self.covering(source, box), to: box, gravity: gravity)
    }

    /// The smallest size with the source's aspect ratio that covers a box.
    private static func covering(_ source: PixelSize, _ box: PixelSize) -> PixelSize {
        if box.width * source.height >= box.height * source.width {
            return PixelSize(width: box.width, height: .side(source.height * box.width, dividedBy: source.width))
        }
        return PixelSize(width: .side(source.width * box.height, dividedBy: source.height), height: box.height)
    }

    private static func cut(_ scaled: PixelSize, to box: PixelSize, gravity: Gravity) -> ResizeGeometry {
        guard scaled != box else { return ResizeGeometry(scaled: scaled, framing: .none) }
        return ResizeGeometry(
            scaled: scaled,
            framing: .crop(CropPlacement(of: box, in: scaled, gravity: gravity))
        )
    }
}
