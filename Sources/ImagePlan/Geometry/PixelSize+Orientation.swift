extension PixelSize {
    /// The size after EXIF orientation: 5 to 8 exchange the sides (Exif 3.0 §4.6.5.1.6).
    package func oriented(_ orientation: Int) -> PixelSize {
        (5...8).contains(orientation) ? transposed : self
    }
}

extension ImageHeader {
    /// The stored size.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// The size after EXIF orientation, on which plans work.
    package var orientedSize: PixelSize { size.oriented(orientation) }
}
