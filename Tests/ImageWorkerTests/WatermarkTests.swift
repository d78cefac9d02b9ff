import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct WatermarkTests {
    private let grey = Workbench.png(PixelImage(width: 40, height: 30) { _, _ in [100, 100, 100, 255] })

    private func colour(_ rgba: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        Workbench.png(PixelImage(width: width, height: height) { _, _ in rgba })
    }

    private func pixels(_ query: String, of source: [UInt8]? = nil, mark: [UInt8]) throws -> PixelImage {
        let made = try Workbench.make("\(query)&format=png", of: source ?? grey, with: [("a/b", mark, .png)])
        return try Workbench.decode(made)
    }

    /// The bounding box of all pixels that differ from the grey picture.
    private func box(_ image: PixelImage) -> [Int]? {
        var found: [(Int, Int)] = []
        for y in 0..<image.height {
            for x in 0..<image.width where Array(image[x, y].prefix(3)) != [100, 100, 100] { found.append((x, y)) }
        }
        guard let left = found.map(\.0).min(), let right = found.map(\.0).max(), let top = found.map(\.1).min(),
            let bottom = found.map(\.1).max()
        else { return nil }
        return [left, top, right - left + 1, bottom - top + 1]
    }

    @Test(arguments: [
        ("", [15, 13, 10, 4]), (",northwest", [0, 0, 10, 4]), (",southeast,3,2", [27, 24, 10, 4]),
        (",southeast,-3,-2", [33, 28, 7, 2]), (",west,25%25,10%25", [10, 16, 10, 4]), (",north,,,0.5", [10, 0, 20, 8]),
        (",center,,,1", [0, 7, 40, 16]), (",northeast,,,2x", [20, 0, 20, 8]), (",east,40", nil),
    ])
    func `is placed as requested, and nothing else changes`(value: String, expected: [Int]?) throws {
        let image = try pixels("watermark=a/b\(value)", mark: colour([250, 0, 0, 255], 10, 4))
        #expect([image.width, image.height, image.channels] == [40, 30, 4])
        #expect(box(image) == expected)
        if let expected { #expect(Array(image[expected[0], expected[1]].prefix(3)) == [250, 0, 0]) }
    }

    @Test func `opacity and alpha multiply, and hidden colours do not bleed`() throws {
        let half = try pixels("watermark=a/b,northwest,,,,0.5", mark: colour([200, 0, 100, 255], 4, 4))
        #expect(half[1, 1] == [150, 50, 100, 255])
        let quarter = try pixels("watermark=a/b,northwest,,,,0.5", mark: colour([200, 0, 100, 128], 4, 4))
        #expect(quarter[1, 1] == [125, 75, 100, 255])
        // Left half opaque white, right half transparent black: enlarging creates no grey.
        let mark = PixelImage(width: 8, height: 8) { x, _ in x < 4 ? [255, 255, 255, 255] : [0, 0, 0, 0] }
        let scaled = try pixels("watermark=a/b,northwest,,,4x", mark: Workbench.png(mark))
        for x in 0..<32 { #expect(scaled[x, 16][0] >= 100, "\(x)") }
    }

    @Test func `a transparent image keeps its alpha, and shows the mark in transparent areas`() throws {
        let clear = Workbench.png(
            PixelImage(width: 20, height: 10) { x, _ in x < 10 ? [0, 0, 250, 255] : [0, 0, 0, 0] }
        )
        let image = try pixels("watermark=a/b,east,,,,0.5", of: clear, mark: colour([250, 0, 0, 255], 12, 10))
        #expect(image.channels == 4)
        #expect(image[0, 0] == [0, 0, 250, 255])
        #expect(image[9, 5] == [125, 0, 125, 255])
        #expect(image[15, 5] == [250, 0, 0, 128])
    }

    @Test func `tiles from the top left corner, with gaps`() throws {
        let image = try pixels("watermark=a/b,tile,6,3", mark: colour([250, 0, 0, 255], 4, 2))
        for y in 0..<30 {
            for x in 0..<40 {
                #expect((image[x, y][0] == 250) == (x % 10 < 4 && y % 5 < 2), "\(x), \(y)")
            }
        }
        // A gap larger than the picture leaves one tile.
        let alone = try pixels("watermark=a/b,tile,999999,100%25", mark: colour([250, 0, 0, 255], 4, 2))
        #expect(box(alone) == [0, 0, 4, 2])
    }

    @Test func `is drawn in the order of the steps`() throws {
        let image = try pixels(
            "watermark=a/b,west&flip=h&w=20&watermark=a/b,west",
            mark: colour([250, 0, 0, 255], 10, 30)
        )
        #expect([image.width, image.height] == [20, 15])
        #expect([1, 10, 18].map { image[$0, 7][0] } == [250, 100, 250])
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `a photograph as a mark is upright`() throws {
        let photograph = try Workbench.photograph("exif-landscape-6.jpg")
        let facts = try Workbench.make("format=json", of: photograph, as: .jpeg).description
        let made = try Workbench.make(
            "watermark=a/b,northwest&format=png",
            of: colour([0, 0, 0, 255], facts.width, facts.height),
            with: [("a/b", photograph, .jpeg)]
        )
        let plain = try Workbench.pixels("", of: photograph, as: .jpeg)
        let marked = try Workbench.decode(made)
        #expect(marked.width == plain.width && marked.height == plain.height)
        #expect(Array(marked[plain.width / 2, plain.height / 2].prefix(3)) == plain[plain.width / 2, plain.height / 2])
    }

    @Test func `is drawn on every frame`() throws {
        let made = try Workbench.make(
            "watermark=a/b,southeast&format=webp&lossless=1",
            of: ThreeFrames.gif(width: 20, height: 20),
            as: .gif,
            with: [("a/b", colour([1, 2, 3, 255], 4, 4), .png)]
        )
        #expect(made.description.frames == 3)
        let stack = try Workbench.decode(made)
        for frame in 0..<3 {
            #expect(Array(stack[18, frame * 20 + 18].prefix(3)) == [1, 2, 3])
            #expect(Array(stack[10, frame * 20 + 10].prefix(3)) != [1, 2, 3])
        }
    }

    @Test func `two watermarks, and json about the result`() throws {
        let marks: [(name: String, bytes: [UInt8], format: ImageFormat)] = [
            ("a/b", colour([250, 0, 0, 255], 40, 15), .png), ("c/d", colour([0, 0, 250, 255], 40, 15), .png),
        ]
        let query = "watermark=a/b,north&watermark=c/d,south"
        let image = try Workbench.decode(Workbench.make("\(query)&format=png", of: grey, with: marks))
        #expect(image[20, 3] == [250, 0, 0, 255] && image[20, 27] == [0, 0, 250, 255])
        let words = try Workbench.make("\(query)&format=blurhash", of: grey, with: marks)
        let same = try Workbench.make("format=blurhash", of: Workbench.png(rgba(image)), as: .png)
        #expect(words.bytes == same.bytes)
    }

    private func rgba(_ image: PixelImage) -> PixelImage {
        PixelImage(width: image.width, height: image.height) { x, y in Array(image[x, y].prefix(3)) + [255] }
    }

    @Test func `errors name the parameter`() {
        func failure(_ bytes: [UInt8], _ query: String = "watermark=a/b", pixels: Int = 100) -> WorkerReply.Failure? {
            do {
                _ = try Workbench.make(query, of: grey, with: [("a/b", bytes, .png)], maximumPixels: pixels)
                return nil
            } catch { return error as? WorkerReply.Failure }
        }
        let large = failure(colour([1, 2, 3, 255], 11, 10))
        #expect(large == .refused("watermark: 110 pixels; the limit is 100", parameter: "watermark"))
        #expect(failure(colour([1, 2, 3, 255], 10, 10)) == nil)
        guard case .broken(let text, "mask") = failure(Array(colour([1, 2, 3, 255], 10, 10).prefix(60)), "mask=a/b")
        else {
            Issue.record("not broken")
            return
        }
        #expect(text.hasPrefix("mask: "))
        #expect(
            failure(colour([1, 2, 3, 255], 4, 4), "watermark=c/d")
                == .worker("watermark: an auxiliary image is missing")
        )
    }

    @Test func `draws a text in its colour and position, no larger than the image`() throws {
        let wide = Workbench.png(PixelImage(width: 300, height: 60) { _, _ in [100, 100, 100, 255] })
        func image(_ value: String) throws -> PixelImage {
            try Workbench.decode(Workbench.make("watermark=\(value)&format=png", of: wide, with: []))
        }
        let white = try image("text:HHH,northwest,7,5,24")
        let ink = try #require(box(white))
        #expect(ink[0] == 7 && ink[1] == 5)
        // Capitals of DejaVu and its like are 0.7 em high, whichever font this machine has.
        #expect((13...22).contains(ink[3]) && (30...75).contains(ink[2]), "\(ink)")
        let brightest = (0..<300).map { white[$0, 13][0] }.max()
        #expect(brightest == 255)
        let red = try image("text:HHH,northwest,7,5,24,0.5,ff0000")
        let isThere = (0..<300).contains { red[$0, 13] == [178, 50, 50, 255] }
        #expect(isThere)
        #expect(try #require(box(image("text:\(String(repeating: "H", count: 60)),west")))[2] == 300)
        let double = try #require(box(image("text:HHH,northwest,0,0,48")))
        #expect(abs(double[3] - 2 * ink[3]) <= 3)
        #expect(throws: WorkerReply.Failure.self) { try image("text:%E2%80%8B") }
    }

    @Test func `markup in a text is literal`() throws {
        let wide = Workbench.png(PixelImage(width: 400, height: 60) { _, _ in [100, 100, 100, 255] })
        func width(_ text: String) throws -> Int {
            let made = try Workbench.make("watermark=text:\(text),west&format=png", of: wide, with: [])
            return try #require(box(Workbench.decode(made)))[2]
        }
        #expect(try width("%3Cb%3EH%3C/b%3E") > 3 * width("H"))
        #expect(try width("H%26amp;H") > width("H%26H") + 20)
    }

    @Test func `combining characters are drawn, and an unreadable plan does not end the worker`() throws {
        let wide = Workbench.png(PixelImage(width: 400, height: 60) { _, _ in [100, 100, 100, 255] })
        // U+0301 after the prefix and after %, ',' and '<', which are encoded again or escaped in markup.
        for text in ["%25CC%2581H", "H%2525%25CC%2581H", "H%252C%25CC%2581H", "H%3C%CC%81%3E%CC%81%26%CC%81H"] {
            let made = try Workbench.make("watermark=text:\(text)&format=png", of: wide, with: [])
            #expect(try box(Workbench.decode(made)) != nil, "\(text)")
        }
        for plan in ["1?w=zz", "1?watermark=x", "2?w=1", "nonsense"] {
            let failure = #expect(throws: WorkerReply.Failure.self) {
                try Workbench.make(.init(plan: plan, bucket: .rest, quality: QualityDefaults()), of: wide, as: .png)
            }
            guard case .refused(_, _?) = failure else {
                Issue.record("\(plan): \(String(describing: failure))")
                continue
            }
        }
    }

    @Test func `a mask image keeps what is light and opaque`() throws {
        // Black, middle grey, white and half-transparent white, stretched over the quarters of the image.
        let values: [[UInt8]] = [[0, 0, 0, 255], [128, 128, 128, 255], [255, 255, 255, 255], [255, 255, 255, 128]]
        let mask = Workbench.png(PixelImage(width: 64, height: 16) { x, _ in values[x / 16] })
        let image = try pixels("mask=a/b", mask: mask)
        #expect([image.width, image.height, image.channels] == [40, 30, 4])
        for (x, alpha) in [(4, 0), (15, 128), (25, 255), (36, 128)] {
            #expect(abs(Int(image.alpha(x, 15)) - alpha) <= 1, "\(x): \(image.alpha(x, 15))")
        }
        #expect(Array(image[25, 15].prefix(3)) == [100, 100, 100])
        // Pure green counts by its luma, and existing alpha is multiplied.
        let green = try pixels("mask=a/b", mask: colour([0, 255, 0, 255], 3, 3))
        #expect(green.alpha(20, 15) == 182)
        let faint = Workbench.png(PixelImage(width: 10, height: 10) { _, _ in [9, 9, 9, 100] })
        #expect(try pixels("mask=a/b", of: faint, mask: colour([128, 128, 128, 255], 2, 2)).alpha(5, 5) == 50)
        let onGreen = try pixels("mask=a/b&bg=00ff00", mask: colour([0, 0, 0, 255], 2, 2))
        #expect(Array(onGreen[5, 5].prefix(3)) == [0, 255, 0])
    }

    private func pixels(_ query: String, of source: [UInt8]? = nil, mask: [UInt8]) throws -> PixelImage {
        try pixels(query, of: source, mark: mask)
    }

    @Test func `a mask is on every frame`() throws {
        let made = try Workbench.make(
            "mask=a/b&format=webp&lossless=1",
            of: ThreeFrames.gif(width: 20, height: 20),
            as: .gif,
            with: [
                (
                    "a/b",
                    Workbench.png(
                        PixelImage(width: 20, height: 20) { x, _ in x < 10 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
                    ), .png
                )
            ]
        )
        let stack = try Workbench.decode(made)
        for frame in 0..<3 { #expect(stack.alpha(2, frame * 20 + 5) == 0 && stack.alpha(17, frame * 20 + 5) == 255) }
    }
}
