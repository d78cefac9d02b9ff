import ImagePlan

extension DuotoneFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: dark.colourValues, to: light.colourValues))
    }
}
