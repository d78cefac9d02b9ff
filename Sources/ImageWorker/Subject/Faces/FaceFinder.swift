/// Finds the faces of a picture, in a copy of at most `FaceSide.pixels`.
protocol FaceFinder: Sendable {
    /// Returns the faces of an 8-bit image, which must be in memory.
    ///
    /// - Parameter small: the image's copy in which subjects are found.
    func faces(in raster: Raster, _ small: SmallPicture) throws(VipsError) -> [Face]
}

/// The size of the copies that are searched for faces.
enum FaceSide {
    /// The longest side, in pixels.
    static let pixels = 320
}
