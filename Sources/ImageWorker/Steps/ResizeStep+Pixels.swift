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
        case .canvas(let size, let left, let top):
            try canvas.scale(to: PictureShape(size: geometry.scaled))
            let background = canvas.opaqueBackground
            try canvas.change(to: after) { frame in
                // An opaque background spares the alpha band; any other lies under the picture in the end.
                let base = background == nil ? try frame.withAlpha() : frame
                let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
                return try base.embedded(left: left, top: top, width: size.width, height: size.height, background: ink)
            }
        }
    }
}
