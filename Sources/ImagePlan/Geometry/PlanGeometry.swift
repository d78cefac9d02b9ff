/// The sizes of a plan on a source, computed once, before a pixel is touched.
package enum PlanGeometry {
    /// The longest side of any picture between two steps, in pixels: what encoders and libvips hold with ease.
    package static let longestSide = 65_535

    /// Resolves each step in order.
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
        var shape = PictureShape(size: source)
        var resolved: [ResolvedStep] = []
        for step in plan.steps {
            let after = try step.shape(after: shape)
            try check(after.size, grownFrom: shape.size, by: step, maximumPixels: maximumPixels)
            resolved.append(ResolvedStep(step: step, input: shape, output: after))
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
