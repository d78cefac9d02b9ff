import ImagePlan

extension InvertFilter: PixelFilter {
    func apply(to colours: Raster) throws -> Raster { try colours.mapped { 255 - $0 } }
}
