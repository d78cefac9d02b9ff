/// `round`: rounds the corners, antialiased.
package struct RoundStep: SingleParameterStep {
    /// The largest radius in pixels, after dpr scaling.
    package static let largestRadius = 16_384

    package static let name = "round"
    package static let example = "24"

    /// One radius, of which zero has no effect, or four.
    package static let form: ValueForm = {
        let pixels = FixedDecimal(largestRadius), least = FixedDecimal(millionths: 1)
        func radius(from least: FixedDecimal) -> [ValueForm.Item] {
            [
                ValueForm.Item("pixels", .decimal(least...pixels, .pixels)),
                ValueForm.Item("percent", .decimal(least...largestPercent, .percent)),
                ValueForm.Item("circle", .choice([maximumName])),
            ]
        }
        let corner = ValueForm.either(radius(from: FixedDecimal(0)))
        let corners = ["top left", "top right", "bottom right", "bottom left"].map { ValueForm.Item($0, corner) }
        return .either(radius(from: least) + [ValueForm.Item("corners", .list(corners, required: 4))])
    }()

    fileprivate static let maximumName = "max"
    fileprivate static let largestPercent = FixedDecimal(100)

    /// A corner's radius.
    package enum Radius: Hashable, Sendable {
        case pixels(FixedDecimal)
        /// 0–100 percent of the image's shorter side.
        case percent(FixedDecimal)
        /// Half of the shorter side: a circle or a pill.
        case maximum
    }

    package let topLeft: Radius
    package let topRight: Radius
    package let bottomRight: Radius
    package let bottomLeft: Radius

    /// Creates a step from four radii.
    package init(topLeft: Radius, topRight: Radius, bottomRight: Radius, bottomLeft: Radius) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        var radii: [Radius] = []
        let parts = parameter.parts(separatedBy: ",")
        guard parts.count == 1 || parts.count == 4 else {
            throw parameter.error("must be one radius, or four: top left, top right, bottom right, bottom left")
        }
        for part in parts { radii.append(try Radius(parsing: part, in: context)) }
        guard radii.contains(where: { !$0.isZero }) else { throw parameter.error("must not be zero") }
        guard radii.count == 4 else {
            self.init(topLeft: radii[0], topRight: radii[0], bottomRight: radii[0], bottomLeft: radii[0])
            return
        }
        self.init(topLeft: radii[0], topRight: radii[1], bottomRight: radii[2], bottomLeft: radii[3])
    }

    package var value: String {
        let radii = [topLeft, topRight, bottomRight, bottomLeft]
        return radii.allSatisfy { $0 == topLeft } ? topLeft.text : radii.map(\.text).joined(separator: ",")
    }

    /// The four radii in pixels for an image of a given size, reduced until they fit.
    package func corners(on size: PixelSize) -> CornerRadii {
        CornerRadii(
            topLeft: topLeft.pixels(on: size),
            topRight: topRight.pixels(on: size),
            bottomRight: bottomRight.pixels(on: size),
            bottomLeft: bottomLeft.pixels(on: size)
        ).fitted(to: size)
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        PictureShape(size: picture.size, corners: corners(on: picture.size))
    }

    package var makesAlpha: Bool { true }
}

extension RoundStep.Radius {
    /// Parses pixels (scaled by dpr), percent, or `max`.
    init(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        if parameter.value == RoundStep.maximumName {
            self = .maximum
        } else if parameter.value.hasSuffix("%") {
            let percent = try parameter.percentage(in: FixedDecimal(0)...RoundStep.largestPercent)
            self =
                percent == FixedDecimal(50)
                ? .maximum : percent == FixedDecimal(0) ? .pixels(percent) : .percent(percent)
        } else {
            let length = try parameter.decimal(in: FixedDecimal(0)...FixedDecimal(RoundStep.largestRadius))
            self = .pixels(try context.scaled(length, of: parameter, atMost: RoundStep.largestRadius))
        }
    }

    var isZero: Bool { self == .pixels(FixedDecimal(0)) }

    var text: String {
        switch self {
        case .pixels(let pixels): pixels.text
        case .percent(let percent): percent.text + "%"
        case .maximum: "max"
        }
    }

    func pixels(on size: PixelSize) -> Double {
        let side = Double(size.shorterSide)
        return switch self {
        case .pixels(let pixels): pixels.value
        case .percent(let percent): side * percent.value / 100
        case .maximum: side / 2
        }
    }
}
