import ImagePlan

extension GrayscaleFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(by: .lumaRamp(from: [0, 0, 0], to: [255, 255, 255]))
    }
}
