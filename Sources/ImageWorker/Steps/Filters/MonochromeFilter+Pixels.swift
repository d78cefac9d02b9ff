import ImagePlan

extension MonochromeFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: [0, 0, 0], to: color.colourValues))
    }
}
