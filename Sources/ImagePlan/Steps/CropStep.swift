/// `crop`: cuts a rectangle out of the image.
package struct CropStep: SingleParameterStep {
    package static let name = "crop"
    package static let form = ValueForm.rectangle
    package static let example = "10%,10%,80%,80%"
    package static let attributes = ["gravity"]

    /// The rectangle as stated in the request.
    package enum Area: Hashable, Sendable {
        /// `x,y,w,h`.
        case rectangle(x: Measure, y: Measure, width: Measure, height: Measure)
        /// `WxH`, placed by gravity.
        case placed(width: Measure, height: Measure, gravity: Gravity)
        /// `W:H`: the largest rectangle with that aspect ratio, placed by gravity.
        case ratio(AspectRatio, gravity: Gravity)
    }

    package let area: Area
    /// Whether the value itself states the gravity, `WxH,north`, instead of taking that of the request.
    package let statesGravity: Bool

    /// Creates a crop.
    package init(area: Area, statesGravity: Bool = false) {
        self.area = area
        self.statesGravity = statesGravity
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.parts(separatedBy: ",")
        let sides = parts[0].parts(separatedBy: "x")
        let isRatio = parts[0].value.utf8.contains(UInt8(ascii: ":"))
        if parts.count == 4, sides.count == 1, !isRatio {
            area = .rectangle(
                x: try Measure(coordinate: parts[0]),
                y: try Measure(coordinate: parts[1]),
                width: try Measure(side: parts[2]),
                height: try Measure(side: parts[3])
            )
            statesGravity = false
            return
        }
        guard sides.count == 2 || isRatio else {
            throw parameter.error("must be x,y,w,h or WxH, in pixels or percent, or an aspect ratio W:H")
        }
        statesGravity = parts.count > 1
        let stated = parts.dropFirst().map(\.value).joined(separator: ",")
        let gravity = statesGravity ? try Gravity(parsing: Parameter(parameter.name, stated)) : context.gravity
        if isRatio {
            area = .ratio(try AspectRatio(parsing: parts[0]), gravity: gravity)
        } else {
            area = .placed(
                width: try Measure(side: sides[0]),
                height: try Measure(side: sides[1]),
                gravity: gravity
            )
        }
    }

    /// The gravity that places the rectangle; `nil` if its corner is stated.
    private var gravity: Gravity? {
        switch area {
        case .rectangle: nil
        case .placed(_, _, let gravity), .ratio(_, let gravity): gravity
        }
    }

    package var value: String {
        switch area {
        case .rectangle(let x, let y, let width, let height):
            [x, y, width, height].map(\.text).joined(separator: ",")
        case .placed(let width, let height, let gravity):
            "\(width.text)x\(height.text)" + ownGravity(gravity)
        case .ratio(let ratio, let gravity):
            ratio.text + ownGravity(gravity)
        }
    }

    private func ownGravity(_ gravity: Gravity) -> String { statesGravity ? "," + gravity.text : "" }

    package var attributeParameters: [Parameter] {
        guard !statesGravity, let gravity, gravity != .center else { return [] }
        return [Parameter("gravity", gravity.text)]
    }

    package func uses(attribute name: String) -> Bool {
        gravity != nil && !statesGravity && Self.attributes.contains(name)
    }

    /// The rectangle in an image of a given size.
    ///
    /// - Throws: 422 if the rectangle lies entirely outside.
    package func placement(in picture: PixelSize) throws(RequestError) -> CropPlacement {
        switch area {
        case .rectangle(let x, let y, let width, let height):
            let stated = PixelRectangle(
                left: x.coordinate(in: picture.width),
                top: y.coordinate(in: picture.height),
                width: width.side(in: picture.width),
                height: height.side(in: picture.height)
            )
            guard let rectangle = stated.intersected(with: picture) else {
                throw RequestError(
                    parameter: Self.name,
                    reason: "the rectangle is outside the image, which is \(picture) at this step",
                    status: .unprocessable
                )
            }
            return .rectangle(rectangle)
        case .placed(let width, let height, let gravity):
            let size = PixelSize(
                width: min(picture.width, width.side(in: picture.width)),
                height: min(picture.height, height.side(in: picture.height))
            )
            return Self.placement(of: size, in: picture, gravity)
        case .ratio(let ratio, let gravity):
            return Self.placement(of: ratio.largest(in: picture), in: picture, gravity)
        }
    }

    private static func placement(of size: PixelSize, in picture: PixelSize, _ gravity: Gravity) -> CropPlacement {
        // The whole image needs no search.
        CropPlacement(of: size, in: picture, gravity: size == picture ? .center : gravity)
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        let size = try placement(in: picture.size).size
        return size == picture.size ? picture : PictureShape(size: size)
    }

    package var gainMapFollows: Bool { true }

    package func cost(on picture: PictureShape) -> Int {
        guard let placement = try? placement(in: picture.size) else { return 0 }
        if case .searched(_, let gravity) = placement { return gravity.searchCost(in: picture.size) }
        return placement.size.pixels
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        guard case .rectangle(let rectangle) = try? placement(in: picture.size) else { return .fullSize }
        return .rectangle(rectangle)
    }
}

/// The place of a crop rectangle in an image.
package enum CropPlacement: Hashable, Sendable {
    /// A known rectangle.
    case rectangle(PixelRectangle)
    /// A known size, at the place that `gravity` (`attention`, `entropy` or `subject`) finds in the pixels.
    case searched(PixelSize, gravity: Gravity)

    package var size: PixelSize {
        switch self {
        case .rectangle(let rectangle): rectangle.size
        case .searched(let size, _): size
        }
    }

    /// Places a rectangle of a given size, which must fit, in an image.
    package init(of size: PixelSize, in picture: PixelSize, gravity: Gravity) {
        guard !gravity.needsPixels else {
            self = .searched(size, gravity: gravity)
            return
        }
        let corner = gravity.corner(of: size, in: picture) { Self.offset(of: $0, in: $1, around: $2) }
        self = .rectangle(
            PixelRectangle(left: corner.left, top: corner.top, width: size.width, height: size.height)
        )
    }

    /// The start of an interval of `length` centred as close as possible to `fraction`; a half rounds down.
    private static func offset(of length: Int, in whole: Int, around fraction: FixedDecimal) -> Int {
        // In two-millionths: fraction × whole − length ÷ 2.
        let start = 2 * fraction.millionths * whole - length * 1_000_000
        let rounded = (start + 999_999).flooredQuotient(2_000_000)
        return max(0, min(whole - length, rounded))
    }
}
