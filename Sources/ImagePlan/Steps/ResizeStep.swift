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
    private static let percentages = FixedDecimal(millionths: 1)...FixedDecimal(largestPercentage)
    private static let largestPercentage = 1000
    package static let isRepeatable = false

    /// Pixels, 1–16384, or up to 1000 percent of the image's side; at least one side or one least side is given.
    package let width: Measure?
    package let height: Measure?
    /// The least sides of the scaled image, 1–16384, for which it is enlarged even without `enlarge`; only with `contain` and `outside`.
    package let leastWidth: Int?
    package let leastHeight: Int?
    /// `contain` where only one side is given.
    package let fit: Fit
    /// The centre, except for `cover`, `crop`, `auto` and `pad` (never one that is searched for `pad`, which cuts nothing).
    package let gravity: Gravity
    /// Whether the image may be enlarged; a vector image is without it, too (`Plan.growing`).
    package let enlarge: Bool
    /// Whether pixels are averaged in linear light instead of as stored, so that fine detail keeps its brightness.
    ///
    /// Sources are then loaded in full, since decoders and mezzanines reduce stored values.
    package let isLinear: Bool

    /// Creates a resize to sides in pixels.
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
        self.init(
            width: width.map { .pixels($0) },
            height: height.map { .pixels($0) },
            leastWidth: leastWidth,
            leastHeight: leastHeight,
            fit: fit,
            gravity: gravity,
            enlarge: enlarge,
            isLinear: isLinear
        )
    }

    /// Creates a resize; attributes without effect are reset to their defaults.
    package init(
        width: Measure?,
        height: Measure?,
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
            case .contain, .fill, .outside, .adaptive: .center
            case .cover, .crop, .auto: gravity
            case .pad: gravity.needsPixels ? .center : gravity
            }
        self.enlarge = enlarge
        self.isLinear = isLinear
    }

    /// The same resize of an image that may be enlarged to sides in pixels.
    ///
    /// Percentages enlarge only with `enlarge`, since what they come to is unknown when requests are admitted; and a place that is searched
    /// for needs the whole scaled image in memory, which can be many times the result.
    var growing: ResizeStep {
        for case .percent? in [width, height] { return self }
        return ResizeStep(
            width: width,
            height: height,
            leastWidth: leastWidth,
            leastHeight: leastHeight,
            fit: fit,
            gravity: gravity,
            enlarge: enlarge || !gravity.needsPixels,
            isLinear: isLinear
        )
    }

    package static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self? {
        var sides: [String: Measure] = [:]
        var least: [String: Int] = [:]
        for parameter in parameters {
            if parameter.name.hasPrefix("min-") {
                least[parameter.name] = try pixels(parameter, in: context)
            } else if parameter.value.hasSuffix("%") {
                let percent = try parameter.percentage(in: percentages)
                sides[parameter.name] = .percent(try context.scaled(percent, of: parameter, atMost: largestPercentage))
            } else {
                sides[parameter.name] = .pixels(try pixels(parameter, in: context))
            }
        }
        let fit: Fit = try context["fit"]?.keyword(otherNames: Fit.otherNames) ?? .contain
        if let first = parameters.first(where: { least[$0.name] != nil }), sides.count == 2, !fit.keepsWhole {
            throw first.error(
                "has no meaning with fit=\(fit.rawValue), which frames the image; only with contain or outside"
            )
        }
        return ResizeStep(
            width: sides["w"],
            height: sides["h"],
            leastWidth: least["min-w"],
            leastHeight: least["min-h"],
            fit: fit,
            gravity: context.gravity.scaled(by: context.dpr),
            enlarge: try context["enlarge"]?.flag() ?? false,
            isLinear: try context["linear"]?.flag() ?? false
        )
    }

    /// A side in device pixels.
    private static func pixels(_ parameter: Parameter, in context: StepContext) throws(RequestError) -> Int {
        let side = try parameter.integer(in: Self.sides)
        return parameter.isInDevicePixels
            ? side : try context.scaled(FixedDecimal(side), of: parameter, atMost: longestSide).rounded
    }

    package static func check(attribute: Parameter) throws(RequestError) {
        switch attribute.name {
        case "fit": _ = try attribute.keyword(Fit.self, otherNames: Fit.otherNames)
        case "enlarge", "linear": _ = try attribute.flag()
        default: break
        }
    }

    package var parameters: [Parameter] {
        zip(Self.names, [width?.text, height?.text, leastWidth.map { String($0) }, leastHeight.map { String($0) }])
            .compactMap { name, side in side.map { Parameter(name, $0) } }
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
    /// `contain`, in a box with its sides exchanged if that is upright and the image lies, or the reverse.
    case adaptive

    /// Whether the result is the scaled image, undistorted and whole.
    var keepsWhole: Bool { self == .contain || self == .outside }

    /// The names in CSS, SDWebImage and other image proxies, used for suggestions.
    static let otherNames = [
        "aspectfill": "cover", "aspectfit": "contain", "bounds": "contain", "clip": "contain", "inside": "contain",
        "letterbox": "pad", "max": "contain", "scale": "fill", "stretch": "fill",
    ]
}
