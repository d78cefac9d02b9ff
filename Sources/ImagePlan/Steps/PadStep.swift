/// `pad`: extends the canvas, filled with `bg`, or transparent without one: by margins, to a size, or to an aspect ratio.
package struct PadStep: SingleParameterStep {
    /// The widest margin in pixels, after dpr scaling.
    package static let widest = 16_384

    package static let name = "pad"
    package static let example = "20"

    /// One width, of which zero has no effect, two, or four.
    package static let form: ValueForm = {
        let width = ValueForm.integer(widths, .pixels)
        func list(_ names: [String]) -> ValueForm {
            .list(names.map { ValueForm.Item($0, width) }, required: names.count)
        }
        return .either([
            ValueForm.Item("all sides", .integer(1...widest, .pixels)),
            ValueForm.Item("two", list(["top and bottom", "left and right"])),
            ValueForm.Item("four", list(["top", "right", "bottom", "left"])),
            ValueForm.Item("canvas", .text()),
        ])
    }()

    private static let widths = 0...widest
    private static let percentages = FixedDecimal(100)...FixedDecimal(1000)

    /// The canvas, as stated in the request.
    package enum Extent: Hashable, Sendable {
        /// Widths to add in pixels, 0–16384, after dpr scaling; at least one of the four is more than 0.
        case margins(top: Int, right: Int, bottom: Int, left: Int)
        /// `WxH`: at least these sides, in pixels after dpr scaling or 100–1000 percent of the image's.
        case sides(width: Measure, height: Measure, gravity: Gravity)
        /// `W:H`: the smallest canvas with that aspect ratio.
        case ratio(AspectRatio, gravity: Gravity)
    }

    package let extent: Extent

    /// Creates the step; `gravity` must not be one that is searched in the pixels.
    package init(extent: Extent) {
        self.extent = extent
    }

    /// Creates the step with four widths, of which at least one is more than 0.
    package init(top: Int, right: Int, bottom: Int, left: Int) {
        extent = .margins(top: top, right: right, bottom: bottom, left: left)
    }

    /// Parses one width for all sides, `vertical,horizontal`, or `top,right,bottom,left` (CSS Box Model 3 §4.2), or a canvas: `WxH` or
    /// `W:H`, with a gravity after a comma.
    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.parts(separatedBy: ",")
        let sides = parts[0].parts(separatedBy: "x")
        if parts[0].value.utf8.contains(UInt8(ascii: ":")) {
            extent = .ratio(try AspectRatio(parsing: parts[0]), gravity: try Self.gravity(of: parameter, in: context))
        } else if sides.count == 2 {
            extent = .sides(
                width: try Self.side(sides[0], in: context),
                height: try Self.side(sides[1], in: context),
                gravity: try Self.gravity(of: parameter, in: context)
            )
        } else {
            extent = try Self.margins(parsing: parameter, in: context)
        }
    }

    private static func margins(parsing parameter: Parameter, in context: StepContext) throws(RequestError) -> Extent {
        var widths: [Int] = []
        for part in parameter.parts(separatedBy: ",") {
            let stated = try part.integer(in: Self.widths)
            widths.append(try context.scaled(FixedDecimal(stated), of: part, atMost: Self.widest).rounded)
        }
        guard [1, 2, 4].contains(widths.count) else {
            throw parameter.error("must be one width, two (vertical, horizontal), or four (top, right, bottom, left)")
        }
        guard widths.contains(where: { $0 > 0 }) else { throw parameter.error("must not be zero") }
        let count = widths.count
        return .margins(top: widths[0], right: widths[1 % count], bottom: widths[2 % count], left: widths[3 % count])
    }

    /// A side of the canvas: pixels, scaled by dpr, or percent.
    private static func side(_ part: Parameter, in context: StepContext) throws(RequestError) -> Measure {
        guard part.value.hasSuffix("%") else {
            let stated = try part.integer(in: 1...widest)
            return .pixels(try context.scaled(FixedDecimal(stated), of: part, atMost: widest).rounded)
        }
        return .percent(try part.percentage(in: percentages))
    }

    private static func gravity(of parameter: Parameter, in context: StepContext) throws(RequestError) -> Gravity {
        let stated = parameter.parts(separatedBy: ",").dropFirst().map(\.value)
        guard !stated.isEmpty else { return .center }
        let gravity = try Gravity(parsing: Parameter(parameter.name, stated.joined(separator: ",")))
        guard !gravity.needsPixels else {
            throw parameter.error("cuts nothing, so \(gravity.text) has nothing to search")
        }
        return gravity.scaled(by: context.dpr)
    }

    package var value: String {
        switch extent {
        case .margins(let top, let right, let bottom, let left):
            guard top == bottom, left == right else { return "\(top),\(right),\(bottom),\(left)" }
            return top == left ? String(top) : "\(top),\(right)"
        case .sides(let width, let height, let gravity):
            return "\(width.text)x\(height.text)" + (gravity == .center ? "" : "," + gravity.text)
        case .ratio(let ratio, let gravity):
            return ratio.text + (gravity == .center ? "" : "," + gravity.text)
        }
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        let size = size(around: picture.size)
        return size == picture.size ? picture : PictureShape(size: size)
    }

    private func size(around picture: PixelSize) -> PixelSize {
        switch extent {
        case .margins(let top, let right, let bottom, let left):
            PixelSize(
                width: left.addingSaturated(picture.width).addingSaturated(right),
                height: top.addingSaturated(picture.height).addingSaturated(bottom)
            )
        case .sides(let width, let height, _):
            PixelSize(
                width: max(picture.width, width.side(in: picture.width)),
                height: max(picture.height, height.side(in: picture.height))
            )
        case .ratio(let ratio, _):
            ratio.smallest(around: picture)
        }
    }

    /// The top left corner of an image on its canvas.
    package func corner(of picture: PixelSize) -> (left: Int, top: Int) {
        switch extent {
        case .margins(let top, _, _, let left): (left, top)
        case .sides(_, _, let gravity), .ratio(_, let gravity):
            gravity.corner(of: picture, onCanvas: size(around: picture))
        }
    }

    package var makesAlpha: Bool { true }

    package var gainMapFollows: Bool { true }

    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.addingSaturated((try? shape(after: picture).size.pixels) ?? 0)
    }
}
