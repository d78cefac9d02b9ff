import ImagePlan

extension Canvas {
    /// Lays a colour under transparent pixels: the plan's, and white beneath all where the format has no alpha.
    mutating func layBackground(_ color: Color?, formatHasAlpha: Bool) throws {
        guard frames[0].hasAlpha else { return }
        let shape = shape
        if let color {
            try change(to: shape) { frame in
                if color.isOpaque {
                    let ink = [Double(color.red), Double(color.green), Double(color.blue)]
                    return try frame.flattened(over: ink)
                }
                return try frame.constant(frame.ink(color)).composited(with: frame)
            }
        }
        guard !formatHasAlpha, frames[0].hasAlpha else { return }
        try change(to: shape) { frame in try frame.flattened(over: [255, 255, 255]) }
    }
}
