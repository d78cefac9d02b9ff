/// `pad`: adds margins filled with `bg`, or transparent without one.
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
        ])
    }()

    private static let widths = 0...widest

    /// Pixels, 0–16384, after dpr scaling; at least one of the four is more than 0.
    package let top: Int
    package let right: Int
    package let bottom: Int
    package let left: Int

    /// Creates the step.
    package init(top: Int, right: Int, bottom: Int, left: Int) {
        self.top = top
        self.right = right
        self.bottom = bottom
        self.left = left
    }

    /// Parses one width for all sides, `vertical,horizontal`, or `top,right,bottom,left` (CSS Box Model 3 §4.2).
    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
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
        self.init(top: widths[0], right: widths[1 % count], bottom: widths[2 % count], left: widths[3 % count])
    }

    package var value: String {
        guard top == bottom, left == right else { return "\(top),\(right),\(bottom),\(left)" }
        return top == left ? String(top) : "\(top),\(right)"
    }

    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape {
        PictureShape(
            size: PixelSize(
                width: left.addingSaturated(picture.size.width).addingSaturated(right),
                height: top.addingSaturated(picture.size.height).addingSaturated(bottom)
            )
        )
    }

    package var makesAlpha: Bool { true }

    package var gainMapFollows: Bool { true }

    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.addingSaturated((try? shape(after: picture).size.pixels) ?? 0)
    }
}
