/// A pixel of an image, counted from its top left corner.
package struct PixelPoint: Hashable, Sendable {
    package var x: Int
    package var y: Int

    /// Creates a point.
    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    /// `10,20`.
    package var text: String { "\(x),\(y)" }

    /// The range of both coordinates.
    package static let coordinates = 0...PlanGeometry.longestSide
}

extension PlanSetting {
    /// `pixel`: the pixel of the result whose colour `format=json` reports (SDWebImage's `sd_colorAtPoint`).
    package static let pixel = PlanSetting(
        name: "pixel",
        defaultText: "none",
        form: .list(
            [
                ValueForm.Item("x", .integer(PixelPoint.coordinates)),
                ValueForm.Item("y", .integer(PixelPoint.coordinates)),
            ],
            required: 2
        ),
        example: "10,10",
        read: { (parameter, settings) throws(RequestError) in
            let parts = parameter.parts(separatedBy: ",")
            guard parts.count == 2, let x = try? parts[0].integer(in: PixelPoint.coordinates),
                let y = try? parts[1].integer(in: PixelPoint.coordinates)
            else {
                throw parameter.error("must be x,y, each a whole number from 0 to \(PixelPoint.coordinates.upperBound)")
            }
            settings.pixel = PixelPoint(x: x, y: y)
        },
        canonicalValue: { $0.pixel?.text }
    )
}

extension PlanSettings {
    /// Checks that `pixel` belongs to a description.
    ///
    /// - Throws: 400, naming `pixel`.
    func checkPixel() throws(RequestError) {
        guard pixel != nil, format != .json else { return }
        throw RequestError(parameter: PlanSetting.pixel.name, reason: "has no effect without format=json")
    }
}
