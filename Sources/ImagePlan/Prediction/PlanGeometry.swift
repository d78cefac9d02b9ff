/// Computes the sizes of a plan on a source, without pixels.
///
/// A step whose size depends on the pixels (`TransformStep.sizeDependsOnPixels`) is taken to cut nothing, which is enough for a
/// cost estimate. Sizes from there on are not checked against limits; the worker resolves the remaining steps when it knows more.
package enum PlanGeometry {
    /// The longest permitted side between two steps, in pixels; encoders and libvips can handle it.
    package static let longestSide = 65_535

    /// Resolves each step of a plan in order.
    ///
    /// - Parameters:
    ///   - source: the size after EXIF orientation.
    ///   - maximumPixels: the most pixels of a frame after any step.
    /// - Throws: 422, naming the step's parameter, for an empty crop or a result over a limit.
    package static func resolve(
        _ plan: Plan,
        source: PixelSize,
        maximumPixels: Int = 50_000_000
    ) throws(RequestError) -> [ResolvedStep] {
        guard source.width > 0, source.height > 0, source.width <= 1 << 31, source.height <= 1 << 31 else {
            throw RequestError(parameter: "path", reason: "the image has no usable size", status: .unprocessable)
        }
        return try resolve(plan.steps[...], from: PictureShape(size: source), maximumPixels: maximumPixels)
    }

    /// Resolves some steps in order, starting from a known shape.
    ///
    /// - Throws: as `resolve(_:source:maximumPixels:)`.
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

    /// The size of the result.
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
        // A step that only makes the image smaller is not to blame for its size.
        if size.width <= input.width && size.height <= input.height { return }
        let parameter = step.parameters.first?.name ?? "plan"
        guard size.width <= longestSide, size.height <= longestSide else {
            throw RequestError(
                parameter: parameter,
                reason: "would make the image \(size); a side has at most \(longestSide) pixels",
                status: .unprocessable
            )
        }
        guard size.pixels <= maximumPixels else {
            throw RequestError(
                parameter: parameter,
                reason: "would make the image \(size); the limit is \(maximumPixels) pixels",
                status: .unprocessable
            )
        }
    }
}

/// A step with the shapes before and after it, on a particular source.
///
/// Steps compute their inner rectangles from `input.size`: `ResizeStep.geometry(for:)`, `CropStep.placement(in:)`,
/// `RoundStep.corners(on:)`, `RotateStep.canvas(for:)`. A border follows `input.corners`.
package struct ResolvedStep: Sendable {
    package let step: any TransformStep
    package let input: PictureShape
    package let output: PictureShape
    /// Whether `output` is exact; false from the first step whose size depends on the pixels.
    package let isExact: Bool

    /// Creates a resolved step.
    package init(step: any TransformStep, input: PictureShape, output: PictureShape, isExact: Bool = true) {
        self.step = step
        self.input = input
        self.output = output
        self.isExact = isExact
    }
}
