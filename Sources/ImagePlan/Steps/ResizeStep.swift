/// `w` and `h`: the one resize of a plan.
package struct ResizeStep: TransformStep {
    /// The longest side that may be asked, in pixels, dpr multiplied in.
    package static let longestSide = 16_384

    package static let names = ["w", "h"]
    package static let attributes = ["fit", "gravity", "enlarge", "dpr"]
    package static let isRepeatable = false

    /// Pixels, 1–16384; at least one side is given.
    package let width: Int?
    package let height: Int?
    /// `contain` where only one side is given.
    package let fit: Fit
    /// The middle, but for `cover` and for `pad` (never `attention` or `entropy` there: nothing is cut).
    package let gravity: Gravity
    /// Whether the picture may grow.
    package let enlarge: Bool

    /// Creates a resize; attributes that make no difference are put back to their defaults.
    package init(width: Int?, height: Int?, fit: Fit = .contain, gravity: Gravity = .center, enlarge: Bool = false) {
        self.width = width
        self.height = height
        let effective = width == nil || height == nil ? Fit.contain : fit
        self.fit = effective
        self.gravity =
            switch effective {
            case .contain, .fill: .center
            case .cover: gravity
            case .pad: gravity.needsPixels ? .center : gravity
            }
        self.enlarge = enlarge
    }

    package static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self? {
        var sides: [String: Int] = [:]
        for parameter in parameters {
            let side = try parameter.integer(in: 1...longestSide)
            sides[parameter.name] =
                parameter.isInDevicePixels
                ? side : try context.scaled(FixedDecimal(side), of: parameter, atMost: longestSide).rounded
        }
        return ResizeStep(
            width: sides["w"],
            height: sides["h"],
            fit: try context["fit"]?.keyword(otherNames: Fit.otherNames) ?? .contain,
            gravity: context.gravity,
            enlarge: try context["enlarge"]?.flag() ?? false
        )
    }

    package static func check(attribute: Parameter) throws(RequestError) {
        switch attribute.name {
        case "fit": _ = try attribute.keyword(Fit.self, otherNames: Fit.otherNames)
        case "enlarge": _ = try attribute.flag()
        default: break
        }
    }

    package var parameters: [Parameter] {
        [width.map { Parameter("w", String($0)) }, height.map { Parameter("h", String($0)) }].compactMap(\.self)
    }

    package var attributeParameters: [Parameter] {
        var attributes: [Parameter] = []
        if fit != .contain { attributes.append(Parameter("fit", fit.rawValue)) }
        if gravity != .center { attributes.append(Parameter("gravity", gravity.text)) }
        if enlarge { attributes.append(Parameter("enlarge", "1")) }
        return attributes
    }

    package var makesAlpha: Bool { fit == .pad }

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

    /// Reading every source pixel once, and computing every result pixel by a separable kernel.
    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.addingSaturated(geometry(for: picture.size).scaled.pixels.multipliedSaturated(by: 8))
    }
}
