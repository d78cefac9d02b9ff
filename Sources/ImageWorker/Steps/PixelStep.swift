import ImagePlan

/// A step with what it does to pixels; every type of `StepRegistry` conforms, each in a file of this folder.
protocol PixelStep: TransformStep {
    /// Changes the canvas, whose shape afterwards is `shape(after:)`.
    ///
    /// - Throws: `VipsError`, `RequestError` where nothing is left, or `WorkerReply.Failure`.
    func apply(to canvas: inout Canvas) throws
}
