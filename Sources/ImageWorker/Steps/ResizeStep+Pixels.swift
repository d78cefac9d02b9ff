import ImagePlan

extension ResizeStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let geometry = geometry(for: canvas.shape.size)
        let after = try shape(after: canvas.shape)
        switch geometry.framing {
        case .none:
            try canvas.scale(to: after)
        case .crop(let placement):
            try canvas.scale(to: PictureShape(size: geometry.scaled))
            try canvas.crop(placement)
        case .canvas(_, let left, let top):
            try canvas.scale(to: PictureShape(size: geometry.scaled))
            try canvas.embed(in: after, left: left, top: top)
        }
    }
}
