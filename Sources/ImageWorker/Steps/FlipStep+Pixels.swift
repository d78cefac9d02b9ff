import CVips
import ImagePlan

extension FlipStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        if direction != .horizontal { try canvas.makeRandomAccess() }
        try canvas.change(to: shape(after: canvas.shape)) { frame in
            switch direction {
            case .horizontal: try frame.flipped(VIPS_DIRECTION_HORIZONTAL)
            case .vertical: try frame.flipped(VIPS_DIRECTION_VERTICAL)
            case .both: try frame.turned(quarters: 2)
            }
        }
    }
}
