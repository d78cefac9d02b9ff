import ImagePlan

extension Raster {
    /// A colour in this picture's bands: three, or four with alpha.
    func ink(_ color: Color) -> [Double] {
        let colours = [Double(color.red), Double(color.green), Double(color.blue)]
        return hasAlpha ? colours + [Double(color.alpha)] : colours
    }
}
