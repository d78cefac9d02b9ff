import ImagePlan

extension Canvas {
    /// Changes the colours of every frame and leaves alpha unchanged.
    mutating func changeColours(_ body: (Raster) throws -> Raster) throws {
        try change(to: shape) { frame in try frame.onColours(body) }
    }
}

extension BrightnessStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let factor = factor.value
        try canvas.changeColours { colours in try colours.mapped { $0 * factor } }
    }
}

extension OffsetStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let tables = [red, green, blue].map { offset in
            (0..<256).map { UInt8(rounding: Double($0) + offset.value) }
        }
        try canvas.changeColours { colours in try colours.mapped(by: tables) }
    }
}

extension ContrastStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let factor = factor.value
        try canvas.changeColours { colours in try colours.mapped { ($0 - 127.5) * factor + 127.5 } }
    }
}

extension GammaStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let exponent = 1 / factor.value
        try canvas.changeColours { colours in try colours.mapped { 255 * power($0 / 255, exponent) } }
    }
}

extension SaturationStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let matrix = ColourMatrix.saturation(factor.value)
        try canvas.changeColours { colours in try colours.recombined(by: matrix) }
    }
}

extension HueStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let matrix = ColourMatrix.hueRotation(degrees: degrees.value)
        try canvas.changeColours { colours in try colours.recombined(by: matrix) }
    }
}
