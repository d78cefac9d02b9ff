import ImagePlan
import TestSupport

extension TinyPicture {
    /// A picture from a function of the place, which gives red, green, blue and alpha.
    static func make(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) throws -> TinyPicture {
        let image = PixelImage(width: width, height: height, pixel)
        guard let picture = TinyPicture(width: width, height: height, rgba: image.bytes) else { throw OutOfRange() }
        return picture
    }

    /// A picture of one colour.
    static func plain(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> TinyPicture {
        try make(width, height) { _, _ in color }
    }

    /// Soft colours that vary along both axes: all of it is in the waves of a hash.
    static func soft(_ width: Int, _ height: Int) throws -> TinyPicture {
        try make(width, height) { x, y in
            [UInt8(60 + 130 * x / width), UInt8(70 + 100 * y / height), UInt8(180 - 90 * x / width), 255]
        }
    }

    /// For comparing.
    var image: PixelImage { PixelImage(width: width, height: height, channels: 4, bytes: rgba) }

    struct OutOfRange: Error {}
}
