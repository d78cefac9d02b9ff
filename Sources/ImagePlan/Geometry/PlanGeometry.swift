/// The sizes of a plan on a source, computed before a pixel is touched.
///
/// A step whose size only the pixels tell (`TransformStep.sizeDependsOnPixels`) counts as if it cut nothing away: enough for an
/// estimate of the cost. Sizes from there on are not held against limits; the worker resolves the rest again when it knows more.
package enum PlanGeometry {
    /// The longest side of any picture between two steps, in pixels: what encoders and libvips hold with ease.
    package static let longestSide = 65_535

    /// Resolves each step of a plan in order.
    ///
    /// - Parameters:
    ///   - source: The size after EXIF orientation.
    ///   - maximumPixels: The most pixels that a frame may have after any step.
    /// - Throws: 422, naming the step's parameter: an empty crop, or a result over a limit.
    package static func resolve(
        _ plan: Plan,
        source: PixelSize,
        maximumPixels: Int = 50_000_000
    ) throws(RequestError) -> [ResolvedStep] {
        guard source.width > 0, source.height > 0, source.width <= 1 << 31, source.height <= 1 << 31 else {
            throw RequestError(parameter: "path", reason: "the picture has no usable size", status: .unprocessable)
        }
        return try resolve(plan.steps[...], from: PictureShape(size: source), maximumPixels: maximumPixels)
    }

    /// Resolves each of some steps in order, on a picture of a known shape.
    ///
    /// - Throws: As `resolve(_:source:maximumPixels:)`.
    package static func resolve(
        _ steps: ArraySlice<any TransformStep>,
        from start: PictureShape,
        maximumPixels: Int = 50_000_000
    ) throws(RequestError) -> [ResolvedStep] {
        var shape = start
        var isExact = true
        var resolved: [ResolvedStep] = []
        for step in steps {
            let after = try step.shape(after: shape)
            if step.sizeDependsOnPixels { isExact = false }
            if isExact { try check(after.size, grownFrom: shape.size, by: step, maximumPixels: maximumPixels) }
            resolved.append(ResolvedStep(step: step, input: shape, output: after, isExact: isExact))
            shape = after
        }
        return resolved
    }

    /// The size in the end.
    package static func outputSize(
        of plan: Plan,
        source: PixelSize,
        maximumPixels: Int = 50_000_000
    ) throws(RequestError) -> PixelSize {
        try resolve(plan, source: source, maximumPixels: maximumPixels).last?.output.size ?? source
    }

    private static func check(
        _ size: PixelSize,
        grownFrom input: PixelSize,
        by step: any TransformStep,
        maximumPixels: Int
    ) throws(RequestError) {
        // A step that only makes less of the picture is not to blame for its size.
        if size.width <= input.width && size.height <= input.height { return }
        let parameter = step.parameters.first?.name ?? "plan"
        guard size.width <= longestSide, size.height <= longestSide else {
            throw RequestError(
                parameter: parameter,
                reason: "would make the picture \(size); a side has at most \(longestSide) pixels",
                status: .unprocessable
            )
        }
        guard size.pixels <= maximumPixels else {
            throw RequestError(
                parameter: parameter,
                reason: "would make the picture \(size); the limit is \(maximumPixels) pixels",
                status: .unprocessable
            )
        }
    }
}

/// A step with the shapes before and after it, on one particular source.
///
/// The rectangles inside of a step come from the step itself: `ResizeStep.geometry(for:)`, `CropStep.placement(in:)`,
/// `RoundStep.corners(on:)`, `RotateStep.canvas(for:)`, each asked with `input.size`; a border follows `input.corners`.
package struct ResolvedStep: Sendable {
    package let step: any TransformStep
    package let input: PictureShape
    package let output: PictureShape
    /// Whether `output` is certain; it is not from the first step on whose size only the pixels tell.
    package let isExact: Bool

    /// Creates a resolved step.
    package init(step: any TransformStep, input: PictureShape, output: PictureShape, isExact: Bool = true) {
        self.step = step
        self.input = input
        self.output = output
        self.isExact = isExact
    }
}
