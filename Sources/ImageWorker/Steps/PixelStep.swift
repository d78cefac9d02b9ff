import ImagePlan

/// A step with what it does to pixels; every type of `StepRegistry` conforms, each in a file of this folder.
protocol PixelStep: TransformStep {
    /// Changes the canvas, whose shape afterwards is `shape(after:)`.
    ///
    /// - Throws: `VipsError`, `RequestError` where nothing is left, or `WorkerReply.Failure`.
    func apply(to canvas: inout Canvas) throws
}

/// A filter with what it does to pixels; every type of `FilterRegistry` conforms, each in a file of this folder.
protocol PixelFilter: NamedFilter {
    /// Filters a frame's three 8-bit sRGB bands.
    func apply(to colours: Raster) throws -> Raster
}

extension FilterStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        guard let filter = filter as? any PixelFilter else {
            throw WorkerReply.Failure.worker("a filter without pixels: \(type(of: filter))")
        }
        try canvas.changeColours { colours in try filter.apply(to: colours) }
    }
}

extension Color {
    /// Red, green and blue.
    var colourValues: [Double] { [Double(red), Double(green), Double(blue)] }
}
