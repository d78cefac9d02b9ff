import ImagePlan

/// `mask`: a shape of ours, perhaps upside down.
struct WeservMask {
    /// The name in our language.
    let name: String
    private var isReversed = false
    /// The bounds of the shape in a circle of radius 1: width and height.
    private let extent: (width: Double, height: Double)

    /// The shapes; `nil` for none.
    static let shapes: KeyValuePairs<String, WeservMask?> = [
        "circle": WeservMask(name: "circle", extent: (2, 2)),
        "ellipse": WeservMask(name: "ellipse", extent: (2, 2)),
        "triangle": triangle,
        "triangle-180": triangle.reversed,
        "pentagon": pentagon,
        "pentagon-180": pentagon.reversed,
        "hexagon": WeservMask(name: "hexagon", extent: (3.0.squareRoot(), 2)),
        "square": WeservMask(name: "diamond", extent: (2, 2)),
        "star": WeservMask(name: "star", extent: pentagon.extent),
        "heart": WeservMask(name: "heart", extent: (32, 29)),
        "none": nil,
    ]

    private static let triangle = WeservMask(name: "triangle", extent: (3.0.squareRoot(), 1.5))
    /// 2 sin 72° by 1 + cos 36°.
    private static let pentagon = WeservMask(name: "pentagon", extent: (1.902_113, 1.809_017))

    private init(name: String, extent: (width: Double, height: Double)) {
        self.name = name
        self.extent = extent
    }

    private var reversed: WeservMask {
        var reversed = self
        reversed.isReversed = true
        return reversed
    }

    /// Appends the mask; one that stands on its head is put on the picture upside down.
    func append(to builder: inout PlanBuilder, for option: String) {
        if isReversed { builder.step("flip", "v", for: option) }
        builder.step("mask", name, for: option)
        if isReversed { builder.step("flip", "v", for: option) }
    }

    /// The rectangle around the shape, as large as fits a picture and in its middle: the value of `crop`.
    func bounds(in size: PixelSize) -> String {
        let scale = min(Double(size.width) / extent.width, Double(size.height) / extent.height)
        let width = max(1, Int((extent.width * scale).rounded())),
            height = max(1, Int((extent.height * scale).rounded()))
        return "\((size.width - width + 1) / 2),\((size.height - height + 1) / 2),\(width),\(height)"
    }
}
