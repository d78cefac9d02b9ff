import CVips
import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `gravity=subject` in requests, on animations and on photographs.
@Suite(.timeLimit(.minutes(3)))
struct SubjectRequestTests {
    /// The number of red pixels in a row.
    private func reds(_ image: PixelImage, row: Int) -> Int {
        (0..<image.width).count { x in
            let pixel = image[x, row]
            return pixel[0] > 180 && pixel[1] < 90 && pixel[2] < 90
        }
    }

    @Test(arguments: ["crop=60x100&gravity=subject", "w=60&h=100&fit=cover&gravity=subject"])
    func `searches the picture as the steps before have left it`(query: String) throws {
        let picture = Workbench.png(
            PixelImage(width: 200, height: 100) { x, y in
                (150..<180).contains(x) && (30..<70).contains(y) ? [255, 0, 0, 255] : [120, 130, 140, 255]
            }
        )
        for before in ["", "flip=h&", "rotate=180&"] {
            let pixels = try Workbench.pixels(before + query, of: picture)
            #expect(pixels.width == 60 && pixels.height == 100)
            #expect(reds(pixels, row: 50) == 30, "\(before)")
        }
        #expect(try reds(Workbench.pixels(query.replacing("subject", with: "center"), of: picture), row: 50) == 0)
    }

    @Test(arguments: ["gif", "webp"])
    func `cuts all frames of an animation where the first one's subject is`(format: String) throws {
        let frames = [44, 4].map { left in
            var frame = GIFFrame(width: 64, height: 16, colour: 1)
            for y in 4..<12 {
                for x in left..<left + 8 { frame.pixels[y * 64 + x] = 0 }
            }
            return frame
        }
        let palette: [(UInt8, UInt8, UInt8)] = [(255, 0, 0), (90, 110, 120), (0, 0, 0), (255, 255, 255)]
        let source = TestImages.gif(width: 64, height: 16, palette: palette, frames: frames, loop: 0)
        let made = try Workbench.make("crop=20x16&gravity=subject&lossless=1&format=\(format)", of: source, as: .gif)
        try #require(made.description.frames == 2)
        let stack = try Workbench.decode(made)
        #expect(stack.width == 20 && stack.height == 32)
        #expect(reds(stack, row: 8) == 8)
        #expect(reds(stack, row: 16 + 8) == 0)
    }

    // MARK: - Photographs

    /// The box of a photograph's subject, in fractions of its sides: left, top, right, bottom.
    private struct Box: Decodable {
        var picture: String
        var subject: [Double]
    }

    private static func box(of picture: String) throws -> [Double] {
        let file = URL(fileURLWithPath: Checkout.path("Benchmarks/subjects.json"))
        let boxes = try JSONDecoder().decode([Box].self, from: Data(contentsOf: file))
        return try #require(boxes.first { $0.picture == picture }).subject
    }

    /// The share of a box that a window keeps.
    private func share(of box: [Double], _ corner: (left: Int, top: Int), _ size: PixelSize, in whole: Raster) -> Double
    {
        let (width, height) = (Double(whole.width), Double(whole.height))
        let right = min(box[2] * width, Double(corner.left + size.width)) - max(box[0] * width, Double(corner.left))
        let down = min(box[3] * height, Double(corner.top + size.height)) - max(box[1] * height, Double(corner.top))
        return max(0, right) * max(0, down) / ((box[2] - box[0]) * width * (box[3] - box[1]) * height)
    }

    @Test(
        .enabled(if: SharedImages.isAvailable, "needs ../shared/images"),
        arguments: ["bus-12mp.jpg", "fox.jpg", "hato.jpg"]
    )
    func `keeps at least as much of a photograph's subject as libvips' smart crop`(name: String) throws {
        let box = try Self.box(of: name)
        let bytes = try Workbench.make("w=600&h=600&format=png", of: Workbench.photograph(name), as: .jpeg).bytes
        let whole = try Workbench.decoded(bytes, as: .png)
        var (own, smart) = (0.0, 0.0)
        for (width, height) in [(1, 1), (4, 5), (9, 16), (16, 9), (3, 1)] {
            let size = PixelSize(
                width: min(whole.width, whole.height * width / height),
                height: min(whole.height, whole.width * height / width)
            )
            own += share(of: box, try whole.subjectOffset(of: size), size, in: whole)
            let other = try whole.smartCropOffset(width: size.width, height: size.height, VIPS_INTERESTING_ATTENTION)
            smart += share(of: box, other, size, in: whole)
        }
        #expect(own >= smart && own > 1.5, "\(own) against \(smart) of 5")
    }
}
