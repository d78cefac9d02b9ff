import TestSupport

@testable import ImageWorker

extension Workbench {
    /// The perceptual distance of a picture from another of its size.
    static func distance(_ left: PixelImage, _ right: PixelImage) -> Double {
        let reference = unsafe left.bytes.withUnsafeBytes { bytes in
            PerceptualDistance(of: bytes, width: left.width, height: left.height, bands: left.channels)
        }
        return unsafe right.bytes.withUnsafeBytes { bytes in reference(to: bytes, bands: right.channels) }
    }
}
