import ImagePlan

extension RotateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        try canvas.settle()
        try canvas.makeRandomAccess()
        let after = try shape(after: canvas.shape)
        if let quarterTurns {
            try canvas.change(to: after) { frame in try frame.turned(quarters: quarterTurns) }
            return
        }
        let background = canvas.opaqueBackground
        try canvas.change(to: after) { frame in
            let base = background == nil ? try frame.withAlpha() : frame
            let ink = base.ink(background ?? Color(red: 0, green: 0, blue: 0, alpha: 0))
            let turned = try base.rotated(degrees: degrees.value, background: ink)
            return try turned.fitted(to: after.size, background: ink)
        }
        try canvas.compute()
    }
}

extension Raster {
    /// This picture in the middle of a canvas that differs by a pixel at most, where libvips rounded otherwise.
    fileprivate func fitted(to size: PixelSize, background: [Double]) throws(VipsError) -> Raster {
        guard size.width != width || size.height != height else { return self }
        let wide = max(size.width, width)
        let high = max(size.height, height)
        let larger = try embedded(left: 0, top: 0, width: wide, height: high, background: background)
        return try larger.cropped(left: 0, top: 0, width: size.width, height: size.height)
    }
}
