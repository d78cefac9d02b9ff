import ImagePlan

/// The pixel operation of a step; every type in `StepRegistry` conforms.
protocol PixelStep: TransformStep {
    /// Applies the step to the canvas, whose shape becomes `shape(after:)`.
    ///
    /// - Throws: `VipsError`, `RequestError` if nothing is left, or `WorkerReply.Failure`.
    func apply(to canvas: inout Canvas) throws
}

/// The pixel operation of a filter; every type in `FilterRegistry` conforms.
protocol PixelFilter: NamedFilter {
    /// Filters the three 8-bit sRGB bands of a frame.
    func apply(to colours: Raster) throws -> Raster
}

extension FilterStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        guard let filter = filter as? any PixelFilter else {
            throw WorkerReply.Failure.worker("a filter without a pixel operation: \(type(of: filter))")
        }
        try canvas.changeColours { colours in try filter.apply(to: colours) }
    }
}

extension Color {
    /// Red, green and blue.
    var colourValues: [Double] { [Double(red), Double(green), Double(blue)] }
}
