/// What an image file says of itself in its first bytes; read by the daemon's sniffer, before any decoder sees the file.
///
/// These are claims of untrusted bytes, good for refusing a file early and for negotiating a format, never for sizing a buffer.
package struct ImageHeader: Hashable, Sendable {
    /// The format by magic bytes.
    package var format: ImageFormat
    /// Stored width in pixels, before orientation; 0 where the header does not tell (SVG, PDF).
    package var width: Int
    /// Stored height in pixels of one frame, before orientation; 0 where the header does not tell.
    package var height: Int
    /// Frames of an animation, 1 for a still; a count that stops early is a lower bound.
    package var frames: Int
    /// The EXIF orientation, 1–8; 1 where none is stated.
    package var orientation: Int
    /// Whether the file can hold transparency; `nil` where the header does not tell.
    package var hasAlpha: Bool?

    /// Creates a header.
    package init(
        format: ImageFormat,
        width: Int,
        height: Int,
        frames: Int = 1,
        orientation: Int = 1,
        hasAlpha: Bool? = nil
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.orientation = orientation
        self.hasAlpha = hasAlpha
    }
}

extension ImageHeader {
    /// The stored size.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// The size after EXIF orientation, on which plans work.
    package var orientedSize: PixelSize { size.oriented(orientation) }
}
