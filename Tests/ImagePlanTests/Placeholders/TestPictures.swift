import ImagePlan
import TestSupport

extension TinyPicture {
    /// An image from a function of the position, which returns red, green, blue and alpha.
    static func make(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) throws -> TinyPicture {
        let image = PixelImage(width: width, height: height, pixel)
        guard let picture = TinyPicture(width: width, height: height, rgba: image.bytes) else { throw OutOfRange() }
        return picture
    }

    /// An image of one colour.
    static func plain(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> TinyPicture {
        try make(width, height) { _, _ in color }
    }

    /// Smooth colours that vary along both axes and fit entirely into the components of a hash.
    static func soft(_ width: Int, _ height: Int) throws -> TinyPicture {
        try make(width, height) { x, y in
            [UInt8(60 + 130 * x / width), UInt8(70 + 100 * y / height), UInt8(180 - 90 * x / width), 255]
        }
    }

    /// The pixels, for comparison.
    var image: PixelImage { PixelImage(width: width, height: height, channels: 4, bytes: rgba) }

    struct OutOfRange: Error {}
}
