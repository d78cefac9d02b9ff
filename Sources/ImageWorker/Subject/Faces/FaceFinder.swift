/// Finds the faces of a picture, in a copy of at most `side` pixels per side.
protocol FaceFinder: Sendable {
    /// Returns the faces of an 8-bit image, which must be in memory.
    ///
    /// - Parameter small: the image's copy in which subjects are found.
    func faces(in raster: Raster, _ small: SmallPicture) throws(VipsError) -> [Face]
}

extension FaceFinder {
    /// The longest side of the copy that is searched, in pixels.
    static var side: Int { 320 }
}
