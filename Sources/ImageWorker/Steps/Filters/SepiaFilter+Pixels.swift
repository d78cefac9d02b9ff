import ImagePlan

extension SepiaFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster {
        try colours.recombined(
            by: ColourMatrix(factors: [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131])
        )
    }
}
