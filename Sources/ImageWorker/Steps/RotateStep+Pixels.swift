import ImagePlan

extension RotateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        try canvas.makeRandomAccess()
        let after = try shape(after: canvas.shape)
        let bounds = bounds(of: canvas.shape.size)
        if let quarterTurns, bounds == after.size {
            try canvas.change(to: after) { frame in try frame.turned(quarters: quarterTurns) }
            return
        }
        let background = canvas.opaqueBackground
        try canvas.change(to: after) { frame in
            let base = background == nil ? try frame.withAlpha() : frame
            let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
            if let quarterTurns {
                return try base.turned(quarters: quarterTurns).centred(in: after.size, background: ink)
            }
            let turned = try base.rotated(degrees: degrees.value, background: ink)
            return try turned.fitted(to: bounds, background: ink).centred(in: after.size, background: ink)
        }
        try canvas.compute()
    }
}

extension Raster {
    /// This picture in the middle of a canvas that may be smaller or larger in each direction.
    fileprivate func centred(in size: PixelSize, background: [Double]) throws(VipsError) -> Raster {
        guard size.width != width || size.height != height else { return self }
        // Rounded down, also below zero.
        let (left, top) = ((size.width - width) >> 1, (size.height - height) >> 1)
        let larger = try embedded(
            left: max(0, left),
            top: max(0, top),
            width: max(size.width, width),
            height: max(size.height, height),
            background: background
        )
        return try larger.cropped(left: max(0, -left), top: max(0, -top), width: size.width, height: size.height)
    }

    /// This picture on a canvas that differs by a pixel at most, where libvips rounded otherwise.
    fileprivate func fitted(to size: PixelSize, background: [Double]) throws(VipsError) -> Raster {
        guard size.width != width || size.height != height else { return self }
        let wide = max(size.width, width)
        let high = max(size.height, height)
        let larger = try embedded(left: 0, top: 0, width: wide, height: high, background: background)
        return try larger.cropped(left: 0, top: 0, width: size.width, height: size.height)
    }
}
