import Foundation
import ImagePlan
import Testing

@testable import ImageWorker

/// Images of one colour, as real decoders read them.
@Suite(.timeLimit(.minutes(1)))
struct PlainPictureTests {
    private static let sizes = [(1, 1), (8, 8), (17, 16), (300, 200), (259, 3), (3, 777), (16_383, 2), (4_096, 4_096)]

    /// Decodes an image, and returns its size and the colour of a pixel.
    private func decoded(_ bytes: [UInt8], as format: ImageFormat, at x: Int, _ y: Int) throws -> (Int, Int, String) {
        let made = try Workbench.make("format=json&pixel=\(x),\(y)", of: bytes, as: format)
        let object = try #require(JSONSerialization.jsonObject(with: Data(made.bytes)) as? [String: Any])
        let pixel = try #require(object["pixel"] as? [String: Any])
        return (object["width"] as? Int ?? 0, object["height"] as? Int ?? 0, pixel["color"] as? String ?? "")
    }

    @Test(arguments: sizes)
    func `PNG and WebP have the size and exactly the colour, from the first to the last pixel`(
        _ width: Int,
        _ height: Int
    ) throws {
        for color in [Color(red: 255, green: 136, blue: 1), Color(red: 3, green: 2, blue: 250, alpha: 128)] {
            let picture = PlainPicture(size: PixelSize(width: width, height: height), color: color)
            for (format, image) in [(PlainPicture.Format.png, ImageFormat.png), (.webp, .webp)] {
                let bytes = picture.encoded(as: format)
                for (x, y) in [(0, 0), (width - 1, height - 1)] {
                    let found = try decoded(bytes, as: image, at: x, y)
                    #expect(found == (width, height, "#\(color.text)"), "\(format)")
                }
                #expect(bytes.count < 1_000 + width * height / 100, "\(format) \(bytes.count)")
            }
        }
    }

    @Test(arguments: sizes)
    func `JPEG has the size and nearly the colour`(_ width: Int, _ height: Int) throws {
        for color in [
            Color(red: 255, green: 136, blue: 1), .white, .black, Color(red: 128, green: 128, blue: 128),
            Color(red: 0, green: 0, blue: 255),
        ] {
            let picture = PlainPicture(size: PixelSize(width: width, height: height), color: color)
            let found = try decoded(picture.encoded(as: .jpeg), as: .jpeg, at: width - 1, height - 1)
            #expect((found.0, found.1) == (width, height))
            let shown = try Color(parsing: Parameter("color", found.2))
            for (one, other) in [(shown.red, color.red), (shown.green, color.green), (shown.blue, color.blue)] {
                #expect(abs(Int(one) - Int(other)) <= 2, "\(found.2) instead of \(color.text)")
            }
        }
    }

    @Test func `JPEG shows a transparent colour on white`() throws {
        let color = Color(red: 0, green: 0, blue: 0, alpha: 0)
        let picture = PlainPicture(size: PixelSize(width: 9, height: 9), color: color)
        #expect(try decoded(picture.encoded(as: .jpeg), as: .jpeg, at: 4, 4).2 == "#ffffff")
    }

    @Test func `pixels of a small image are written as they are`() throws {
        var rgba: [UInt8] = []
        for y in 0..<30 {
            for x in 0..<40 { rgba += [UInt8(x * 6), UInt8(y * 8), 90, UInt8(255 - x % 2)] }
        }
        let picture = try #require(TinyPicture(width: 40, height: 30, rgba: rgba))
        let bytes = PNGWriter.picture(picture)
        #expect(try decoded(bytes, as: .png, at: 0, 0) == (40, 30, "#00005a"))
        #expect(try decoded(bytes, as: .png, at: 38, 29).2 == "#e4e85a")
        #expect(try decoded(bytes, as: .png, at: 39, 29).2 == "#eae85afe")
    }
}
