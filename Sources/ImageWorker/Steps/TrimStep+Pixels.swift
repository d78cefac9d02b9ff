import ImagePlan

extension TrimStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        try canvas.makeRandomAccess()
        let corner = try canvas.frames[0].cornerColour()
        var content: PixelRectangle?
        for frame in canvas.frames {
            try canvas.deadline.check()
            guard let found = try frame.content(against: corner, threshold: threshold) else { continue }
            content = content?.union(found) ?? found
        }
        guard let content, content.size != canvas.shape.size else { return }
        try canvas.change(to: PictureShape(size: content.size)) { frame in
            try frame.cropped(left: content.left, top: content.top, width: content.width, height: content.height)
        }
    }
}

extension PixelRectangle {
    /// The smallest rectangle around two.
    fileprivate func union(_ other: PixelRectangle) -> PixelRectangle {
        let (left, top) = (min(left, other.left), min(top, other.top))
        return PixelRectangle(
            left: left,
            top: top,
            width: max(right, other.right) - left,
            height: max(bottom, other.bottom) - top
        )
    }
}
