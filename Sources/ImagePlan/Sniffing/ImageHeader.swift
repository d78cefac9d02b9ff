/// The facts in the first bytes of an image file, read by the daemon's sniffer before any decoder sees the file.
///
/// These are unverified claims, good for rejecting files early and negotiating formats, never for sizing buffers.
package struct ImageHeader: Hashable, Sendable {
    /// The format by magic bytes.
    package var format: ImageFormat
    /// The stored width in pixels, before orientation; 0 if the header has none (SVG, PDF).
    package var width: Int
    /// The stored height of one frame in pixels, before orientation; 0 if the header has none.
    package var height: Int
    /// The number of frames, 1 for a still; a lower bound if counting stopped early.
    package var frames: Int
    /// The EXIF orientation, 1–8; 1 if not stated.
    package var orientation: Int
    /// Whether the file can contain transparency; `nil` if the header does not say.
    package var hasAlpha: Bool?
    /// Whether the file contains C2PA manifests; the sniffer leaves it `false` (`ManifestSearch`).
    package var hasCredentials = false
    /// Whether a JPEG has a gain map (`GainMapSearch`); `nil` from the sniffer, and in records of earlier releases.
    package var hasGainMap: Bool?

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

    /// The size after EXIF orientation, to which plans apply.
    package var orientedSize: PixelSize { size.oriented(orientation) }
}
