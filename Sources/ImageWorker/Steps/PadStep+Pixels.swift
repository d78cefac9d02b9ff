import ImagePlan

extension PadStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let after = try shape(after: canvas.shape)
        try canvas.embed(in: after, left: left, top: top)
    }
}

extension Canvas {
    /// Places every frame on a larger canvas: of the background where that is opaque, else transparent.
    mutating func embed(in shape: PictureShape, left: Int, top: Int) throws {
        let background = opaqueBackground
        try change(to: shape) { frame in
            // An opaque background spares the alpha band; any other lies under the picture in the end.
            let base = background == nil ? try frame.withAlpha() : frame
            let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
            return try base.embedded(
                left: left,
                top: top,
                width: shape.size.width,
                height: shape.size.height,
                background: ink
            )
        }
    }
}
