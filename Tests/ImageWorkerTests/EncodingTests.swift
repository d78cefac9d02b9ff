import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(2)))
struct EncodingTests {
    /// Noise over a gradient, which is expensive for lossy formats.
    private static let noisy: [UInt8] = {
        var generator = SeededGenerator(seed: 4)
        let picture = PixelImage(width: 160, height: 120) { x, y in
            let noise = Int.random(in: 0...60, using: &generator)
            return [UInt8(min(255, x + noise)), UInt8(min(255, y + noise)), UInt8(noise * 2), 255]
        }
        return Workbench.png(picture)
    }()
    /// Red strokes on blue.
    private static let drawing = Workbench.png(
        PixelImage(width: 96, height: 96) { x, y in
            (x / 3 + y / 3).isMultiple(of: 2) ? [220, 0, 0, 255] : [0, 0, 220, 255]
        }
    )

    /// The sampling factors of a JPEG's first component (ITU-T T.81 §B.2.2), and its frame marker.
    private func frame(of jpeg: [UInt8]) throws -> (marker: UInt8, sampling: UInt8) {
        var place = 2
        while place + 4 < jpeg.count, jpeg[place] == 0xFF {
            let marker = jpeg[place + 1]
            if (0xC0...0xC2).contains(marker) { return (marker, jpeg[place + 11]) }
            place += 2 + Int(jpeg[place + 2]) << 8 + Int(jpeg[place + 3])
        }
        Issue.record("no frame")
        return (0, 0)
    }

    @Test(.enabled(if: Workbench.encodes(.avif)))
    func `with chroma=auto an AVIF keeps full chroma for a drawing, and subsamples a photograph`() throws {
        let drawing = Workbench.png(
            PixelImage(width: 96, height: 64) { x, y in
                (x / 3 + y / 3).isMultiple(of: 2) ? [240, 20, 20, 255] : [20, 40, 230, 255]
            }
        )
        let photograph = Workbench.png(
            PixelImage(width: 96, height: 64) { x, y in [UInt8(x * 2), UInt8(60 + y), UInt8(200 - x), 255] }
        )
        for (source, chroma) in [(drawing, "444"), (photograph, "420")] {
            let made = try Workbench.make("format=avif&bg=ffffff", of: source, as: .png).bytes
            for other in ["420", "444"] {
                let stated = try Workbench.make("format=avif&bg=ffffff&chroma=\(other)", of: source, as: .png).bytes
                let isSame = made == stated
                #expect(isSame == (other == chroma), "\(chroma) is not as \(other): \(made.count), \(stated.count)")
            }
        }
    }

    @Test(arguments: [("chroma=420", 0x22), ("chroma=444", 0x11), ("chroma=420&q=100", 0x22)] as [(String, UInt8)])
    func `chroma sets a JPEG's subsampling`(query: String, sampling: UInt8) throws {
        let made = try Workbench.make("\(query)&format=jpeg", of: Self.noisy, as: .png)
        #expect(try frame(of: made.bytes).sampling == sampling)
    }

    @Test func `chroma=auto keeps full chroma for drawings only`() throws {
        let drawn = try Workbench.make("format=jpeg", of: Self.drawing, as: .png)
        #expect(try frame(of: drawn.bytes).sampling == 0x11)
        let soft = try Workbench.make("blur=2&format=jpeg", of: Self.noisy, as: .png)
        #expect(try frame(of: soft.bytes).sampling == 0x22)
    }

    @Test(.enabled(if: SharedImages.isAvailable), arguments: ["bus-12mp.jpg", "fox.jpg", "hato.jpg", "kimono.jpg"])
    func `photographs are subsampled`(name: String) throws {
        let made = try Workbench.make("w=512&format=jpeg", of: Workbench.photograph(name), as: .jpeg)
        #expect(try frame(of: made.bytes).sampling == 0x22)
    }

    @Test func `progressive makes a progressive JPEG, and an interlaced PNG`() throws {
        let plain = try Workbench.make("format=jpeg", of: Self.noisy, as: .png)
        let progressive = try Workbench.make("format=jpeg&progressive=1", of: Self.noisy, as: .png)
        #expect(try frame(of: plain.bytes).marker == 0xC0)
        #expect(try frame(of: progressive.bytes).marker == 0xC2)
        #expect(try Workbench.decode(plain) == Workbench.decode(progressive))
        // PNG §11.2.2: the interlace method is the last byte of IHDR.
        #expect(try Workbench.make("format=png", of: Self.noisy, as: .png).bytes[28] == 0)
        #expect(try Workbench.make("format=png&progressive=1", of: Self.noisy, as: .png).bytes[28] == 1)
    }

    @Test func `more effort makes smaller files with the same pixels`() throws {
        for format in ["png", "webp&lossless=1"] {
            let fast = try Workbench.make("format=\(format)&effort=0", of: Self.noisy, as: .png)
            let small = try Workbench.make("format=\(format)&effort=9", of: Self.noisy, as: .png)
            #expect(small.bytes.count < fast.bytes.count, "\(format)")
            #expect(try Workbench.decode(small) == Workbench.decode(fast), "\(format)")
        }
    }

    @Test(arguments: ["webp", "png", "tiff", "jxl", "avif"])
    func `lossless keeps every pixel`(format: String) throws {
        let made = try Workbench.make("lossless=1&format=\(format)", of: Self.noisy, as: .png)
        let source = try Workbench.decode(Self.noisy, as: .png)
        let result = try Workbench.decode(made)
        #expect(ImageComparison.meanDifference(source, result) == 0)
    }

    @Test(arguments: ["jpeg", "webp", "avif", "jxl"])
    func `max_bytes lowers quality no further than needed`(format: String) throws {
        let asked = try Workbench.make("q=95&format=\(format)", of: Self.noisy, as: .png)
        let bound = asked.bytes.count * 6 / 10
        let made = try Workbench.make("q=95&format=\(format)&max_bytes=\(bound)", of: Self.noisy, as: .png)
        #expect(made.bytes.count <= bound)
        #expect(made.bytes.count > bound / 2)
        let loose = try Workbench.make("q=40&format=\(format)&max_bytes=1000000", of: Self.noisy, as: .png)
        let plain = try Workbench.make("q=40&format=\(format)", of: Self.noisy, as: .png)
        #expect(loose.bytes.count <= plain.bytes.count * 11 / 10, "room is not filled")
    }

    @Test(arguments: ["jpeg", "webp", "png", "webp&lossless=1"])
    func `max_bytes that no quality meets is refused with its name`(format: String) throws {
        let failure = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("format=\(format)&max_bytes=100", of: Self.noisy, as: .png)
        }
        guard case .refused(let text, "max_bytes") = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text.hasPrefix("max_bytes: "))
        #expect(text.contains("such as q=png:50") == (format == "png"), "\(text)")
    }

    @Test(arguments: [
        ("png&q=80", "a lower q than png:80"), ("png&q=png:2", "a lower q than png:2"), ("png&q=1", nil),
        ("png&lossless=1", nil), ("png&q=100", "such as q=png:50"), ("tiff", nil),
    ])
    func `max_bytes that a format without a search does not meet names q where it helps`(
        format: String,
        advice: String?
    ) {
        let failure = #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("format=\(format)&max_bytes=100", of: Self.noisy, as: .png)
        }
        guard case .refused(let text, "max_bytes") = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        if let advice {
            #expect(text.contains(advice), "\(text)")
        } else {
            #expect(text.hasSuffix("allows 100"), "\(text)")
        }
    }

    @Test func `a search takes seven encodes at most, and finds the highest quality that fits`() throws {
        for quality in 1...100 {
            for threshold in [0, 1, 2, 3, 17, 50, 64, 98, 99, 100] {
                var tries: [Int] = []
                let search = QualitySearch(maximumBytes: threshold)
                let found = try? search.run(from: quality) { quality in
                    tries.append(quality)
                    return EncodedPicture([UInt8](repeating: 0, count: quality))
                }
                #expect(tries.count <= QualitySearch.maximumTries)
                #expect(Set(tries).count == tries.count)
                let best = min(quality, threshold)
                if best == 0 {
                    #expect(found == nil && tries.contains(1))
                } else {
                    let count = try #require(found).count
                    #expect(count <= best && count >= best - 1, "\(quality) \(threshold): \(count)")
                }
            }
        }
    }

    @Test func `few colours become an exact palette, many do not`() throws {
        let flat = PixelImage(width: 64, height: 64) { x, y in
            [UInt8(x / 8 * 30), UInt8(y / 8 * 30), 77, x > 40 ? 128 : 255]
        }
        let made = try Workbench.make("format=png", of: Workbench.png(flat), as: .png)
        #expect(made.bytes[25] == 3, "PNG §11.2.2: colour type 3 is a palette")
        #expect(try Workbench.decode(made) == flat)
        #expect(try Workbench.make("format=png", of: Self.noisy, as: .png).bytes[25] == 6)
    }

    @Test func `a grey image becomes greyscale with the same pixels`() throws {
        let jpeg = try Workbench.make("format=jpeg&q=100", of: Self.noisy, as: .png)
        let grey = PixelImage(width: 64, height: 64) { x, y in
            let value = UInt8(x * 3 + y / 2)
            return [value, value, value, UInt8(255 - y)]
        }
        let made = try Workbench.make("format=png", of: Workbench.png(grey), as: .png)
        #expect(made.bytes[25] == 4, "grey with alpha")
        #expect(try Workbench.decode(made) == grey)
        #expect(try Workbench.make("format=png", of: jpeg.bytes, as: .jpeg).bytes[25] == 2)
    }
}
