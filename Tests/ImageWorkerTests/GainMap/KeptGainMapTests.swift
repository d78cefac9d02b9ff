import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// `hdr=keep`: JPEGs with the gain map of their original.
@Suite(.timeLimit(.minutes(2)))
struct KeptGainMapTests {
    private static let size = PixelSize(width: 128, height: 96)

    /// What both the picture and its gain map show, so that a result's gain map must look like the result.
    private static func shade(_ x: Double, _ y: Double) -> UInt8 { UInt8(30 + 120 * x + 80 * y) }

    private static func grey(_ width: Int, _ height: Int) -> PixelImage {
        PixelImage(width: width, height: height) { x, y in
            let value = shade((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
            return [value, value, value, 255]
        }
    }

    private static func jpeg(_ image: PixelImage) throws -> [UInt8] {
        try Workbench.make("format=jpeg&q=98&chroma=444", of: Workbench.png(image), as: .png).bytes
    }

    private let picture: [UInt8]
    private let map: [UInt8]
    private let file: [UInt8]

    init() throws {
        picture = try Self.jpeg(Self.grey(Self.size.width, Self.size.height))
        map = try Self.jpeg(Self.grey(32, 24))
        file = UltraHDR.file(picture, UltraHDR.map(map))
    }

    private func made(_ query: String, of source: [UInt8]? = nil, bucket: FormatBucket = .avif) throws -> Workbench.Made
    {
        try Workbench.make(query, of: source ?? file, as: .jpeg, bucket: bucket)
    }

    /// Makes a result with `hdr=keep`.
    private func kept(_ query: String, of source: [UInt8]? = nil) throws -> Workbench.Made {
        try made("\(query)&hdr=keep", of: source)
    }

    /// The largest difference between a result's gain map and the result, away from the edges.
    private func difference(_ images: TwoImages) throws -> Int {
        let shown = try Workbench.decode(images.first, as: .jpeg)
        let map = try Workbench.decode(images.second, as: .jpeg)
        var largest = 0
        for y in 0..<map.height {
            for x in 0..<map.width {
                let place = (
                    x: Int((Double(x) + 0.5) / Double(map.width) * Double(shown.width)),
                    y: Int((Double(y) + 0.5) / Double(map.height) * Double(shown.height))
                )
                largest = max(largest, abs(Int(map[x, y][0]) - Int(shown[place.x, place.y][0])))
            }
        }
        return largest
    }

    @Test(
        arguments: [
            ("w=64", 16, 12), ("w=64&h=64&fit=cover", 16, 16), ("w=64&h=64&fit=cover&gravity=east", 16, 16),
            ("w=50&h=70&fit=fill", 13, 18), ("crop=10,20,40,40", 10, 10), ("crop=13,7,31,57", 8, 14),
            ("flip=h", 32, 24),
            ("flip=v&w=64", 16, 12), ("flip=hv", 32, 24), ("rotate=90", 24, 32), ("rotate=180&w=64", 16, 12),
            ("rotate=270&crop=5,9,60,80", 15, 20), ("crop=50%25,50%25,50%25,50%25&rotate=90&w=24", 6, 8),
            ("w=256&enlarge=1", 32, 24), ("w=64&h=64&fit=cover&gravity=attention", 16, 16),
            ("crop=40x40&gravity=subject", 10, 10),
        ]
    )
    func `the gain map follows the picture`(query: String, width: Int, height: Int) throws {
        let made = try kept(query)
        #expect(made.description.format == .picture(.jpeg) && made.description.length == made.bytes.count)
        let images = try #require(TwoImages(made.bytes))
        let map = try Workbench.decode(images.second, as: .jpeg)
        #expect(map.width == width && map.height == height)
        // At edges, fewer pixels are averaged. Another place or direction would differ by more: the shades range from 30 to 230.
        #expect(try difference(images) <= 10)
        // Without the gain map, the picture is the same.
        let plain = try Workbench.make("\(query)&format=jpeg", of: file, as: .jpeg).bytes
        #expect(try Workbench.decode(images.first, as: .jpeg) == Workbench.decode(plain, as: .jpeg))
    }

    @Test(arguments: 1...8)
    func `the orientation applies to both`(orientation: Int) throws {
        let exif =
            Array("Exif\0\0MM".utf8) + [
                0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0,
            ]
        let turned = Array(picture[..<2]) + UltraHDR.marker(0xE1, exif) + picture[2...]
        let images = try #require(TwoImages(kept("w=48", of: UltraHDR.file(turned, UltraHDR.map(map))).bytes))
        let shown = try Workbench.decode(images.first, as: .jpeg)
        #expect((shown.width > shown.height) == (orientation < 5))
        #expect(try difference(images) <= 10)
    }

    @Test func `trim cuts both alike`() throws {
        func framed(_ scale: Int) -> PixelImage {
            PixelImage(width: 32 * scale, height: 24 * scale) { x, y in
                let isInside = (8 * scale..<24 * scale).contains(x) && (8 * scale..<16 * scale).contains(y)
                let value = isInside ? 120 + UInt8(x / scale) * 4 : 20
                return [value, value, value, 255]
            }
        }
        let source = UltraHDR.file(try Self.jpeg(framed(4)), UltraHDR.map(try Self.jpeg(framed(1))))
        let images = try #require(TwoImages(kept("trim=40", of: source).bytes))
        let map = try Workbench.decode(images.second, as: .jpeg)
        #expect(map.width == 16 && map.height == 8)
        #expect(map[0, 4][0] > 100 && map[15, 4][0] > 190)
    }

    @Test func `margins have no gain`() throws {
        let images = try #require(TwoImages(kept("w=64&h=64&fit=pad&format=jpeg").bytes))
        let map = try Workbench.decode(images.second, as: .jpeg)
        // As fine as the picture, so that nothing shines into the margin.
        #expect(map.width == 64 && map.height == 64)
        // From -1 to 3, no gain is a quarter.
        for y in [0, 3, 60, 63] { #expect(abs(Int(map[30, y][0]) - 64) <= 3, "\(map[30, y])") }
        #expect(abs(Int(map[32, 32][0]) - 130) <= 6)
        let padded = try #require(TwoImages(kept("pad=16&format=jpeg").bytes))
        #expect(abs(Int(try Workbench.decode(padded.second, as: .jpeg)[4, 4][0]) - 64) <= 3)
    }

    @Test func `metadata is written again, and nothing else is kept`() throws {
        let images = try #require(TwoImages(kept("w=64").bytes))
        let announced = try #require(TwoImages.packets(images.firstSegments).first)
        #expect(TwoImages.packets(images.firstSegments).count == 1)
        #expect(
            announced.contains("Item:Length=\"\(images.second.count)\"") && announced.contains("hdrgm:Version=\"1.0\"")
        )
        let packets = TwoImages.packets(images.secondSegments)
        let own = try #require(packets.first)
        #expect(packets.count == 1 && !own.contains("somebody"))
        let read = try #require(GainMapProperties(packet: Array(own.utf8)))
        #expect(read == GainMapProperties(packet: Array(UltraHDR.properties.utf8)))
        #expect(TwoImages.isoSegments(images.firstSegments) == [[0, 0, 0, 0]])
        #expect(TwoImages.isoSegments(images.secondSegments) == [UltraHDR.segment])
    }

    @Test func `each form of the metadata suffices`() throws {
        let xmp = UltraHDR.file(picture, UltraHDR.map(map, segment: nil))
        let first = try #require(TwoImages(kept("w=64", of: xmp).bytes))
        #expect(TwoImages.isoSegments(first.firstSegments + first.secondSegments).isEmpty)
        #expect(TwoImages.packets(first.secondSegments).count == 1)
        let iso = UltraHDR.file(picture, UltraHDR.map(map, properties: nil))
        let second = try #require(TwoImages(kept("w=64", of: iso).bytes))
        #expect(TwoImages.packets(second.firstSegments + second.secondSegments).isEmpty)
        #expect(TwoImages.isoSegments(second.secondSegments) == [UltraHDR.segment])
    }

    @Test func `meta=keep has one packet with both contents`() throws {
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="a bus"/></rdf:RDF></x:xmpmeta>
            """
        let segment = UltraHDR.marker(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
        let source = UltraHDR.file(Array(picture[..<2]) + segment + picture[2...], UltraHDR.map(map))
        for (query, isKept) in [("w=64&meta=keep", true), ("w=64", false)] {
            let images = try #require(TwoImages(kept(query, of: source).bytes))
            let packets = TwoImages.packets(images.firstSegments)
            #expect(packets.count == 1 && packets[0].contains("a bus") == isKept && packets[0].contains("GainMap"))
        }
    }

    @Test(arguments: [
        "format=webp", "format=png", "format=avif", "blur=3", "round=9", "filter=sepia", "rotate=30", "brightness=2",
    ])
    func `a result that cannot have a gain map is the one without hdr`(query: String) throws {
        let result = try kept(query)
        #expect(try result.bytes == made(query).bytes)
    }

    @Test func `format=auto is JPEG only with a gain map`() throws {
        #expect(try made("w=64", bucket: .webp).description.format == .picture(.webp))
        let keep = try made("w=64&hdr=keep", bucket: .webp)
        #expect(keep.description.format == .picture(.jpeg) && TwoImages(keep.bytes) != nil)
        #expect(try made("w=64&hdr=keep", of: picture, bucket: .webp).description.format == .picture(.webp))
        // No JPEG has alpha, or every pixel.
        #expect(try made("w=64&h=64&fit=pad&hdr=keep", bucket: .webp).description.format == .picture(.webp))
        #expect(try made("w=64&lossless=1&hdr=keep", bucket: .webp).description.format == .picture(.webp))
    }

    @Test func `max_bytes counts both images`() throws {
        var generator = SeededGenerator(seed: 7)
        let noise = PixelImage(width: 320, height: 240) { _, _ in
            [UInt8.random(in: 0...255, using: &generator), 90, 200, 255]
        }
        let source = UltraHDR.file(try Self.jpeg(noise), UltraHDR.map(map))
        let all = try kept("format=jpeg", of: source)
        let limit = all.bytes.count * 2 / 3
        let less = try kept("format=jpeg&max_bytes=\(limit)", of: source)
        #expect(TwoImages(all.bytes) != nil && TwoImages(less.bytes) != nil && less.bytes.count <= limit)
        // A gain map that would take more than half of the bytes is left out.
        let without = try kept("w=64&format=jpeg&max_bytes=2500")
        #expect(TwoImages(without.bytes) == nil && without.bytes.count <= 2500)
    }

    @Test func `what is added fits into what is allowed for`() throws {
        let container = GainMapContainer(
            map: [UInt8](repeating: 0, count: 9_999_999),
            hasProperties: true,
            hasSegment: true
        )
        #expect(container.joined(to: picture).count - picture.count <= container.added)
    }

    @Test func `a malformed gain map leaves the standard range`() throws {
        let plain = try Workbench.make("w=64&format=jpeg", of: file, as: .jpeg).bytes
        let huge = try Self.jpeg(Self.grey(Self.size.width * 2, Self.size.height))
        let backward = UltraHDR.properties.replacing("IsHDR=\"False\"", with: "IsHDR=\"True\"")
        func without(headroom: String) -> [UInt8] {
            let properties = UltraHDR.properties.replacing("CapacityMax=\"3\"", with: "CapacityMax=\"\(headroom)\"")
            return UltraHDR.file(picture, UltraHDR.map(map, properties: properties, segment: nil))
        }
        let sources: [(String, [UInt8])] = [
            ("no headroom", without(headroom: "0")),
            (
                "the brighter image first",
                UltraHDR.file(picture, UltraHDR.map(map, properties: nil, segment: UltraHDR.backwardSegment))
            ),
            ("says nothing", UltraHDR.file(picture, map)),
            ("larger than the picture", UltraHDR.file(picture, UltraHDR.map(huge))),
            (
                "no number",
                UltraHDR.file(
                    picture,
                    UltraHDR.map(map, properties: UltraHDR.properties.replacing("\"3\"", with: "\"x\""), segment: nil)
                )
            ),
            ("high dynamic range first", UltraHDR.file(picture, UltraHDR.map(map, properties: backward, segment: nil))),
            ("offset past the end", UltraHDR.file(picture, UltraHDR.map(map), offset: 1 << 30)),
            ("offset before the image", UltraHDR.file(picture, UltraHDR.map(map), offset: -3)),
            ("length past the end", UltraHDR.file(picture, UltraHDR.map(map), length: 1 << 31)),
            ("not a JPEG", UltraHDR.file(picture, UltraHDR.map([0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 1, 2, 3]))),
            ("no index", picture + UltraHDR.map(map)),
        ]
        for (name, source) in sources {
            #expect(try kept("w=64&format=jpeg", of: source).bytes == plain, "\(name)")
        }
    }

    @Test func `damaged files do no harm`() throws {
        var generator = SeededGenerator(seed: 4)
        let tail = file.count - UltraHDR.map(map).count
        for round in 0..<150 {
            var bytes = file
            // Half of the damage is in the index.
            let range = round.isMultiple(of: 2) ? 2..<100 : tail..<min(tail + 900, bytes.count)
            for _ in 0..<4 {
                bytes[Int.random(in: range, using: &generator)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            }
            if round.isMultiple(of: 2) {
                // The picture itself may be damaged.
                if let made = try? kept("w=64&format=jpeg", of: bytes) { #expect(made.description.width == 64) }
            } else {
                #expect(try kept("w=64&format=jpeg", of: bytes).description.width == 64)
            }
        }
    }

    @Test func `an image that fits only without its gain map has none`() throws {
        var generator = SeededGenerator(seed: 5)
        let blocks = (0..<120 * 90).map { _ in UInt8.random(in: 0...1, using: &generator) * 255 }
        let noise = PixelImage(width: 480, height: 360) { x, y in
            let value = blocks[y / 4 * 120 + x / 4]
            return [value, value, value, 255]
        }
        let source = UltraHDR.file(try Self.jpeg(noise), UltraHDR.map(map))
        let least = try made("format=jpeg&q=1", of: source).bytes.count
        let query = "format=jpeg&max_bytes=\(least + 100)"
        let both = try kept("format=jpeg&q=1", of: source).bytes
        #expect(TwoImages(both) != nil && (both.count - least) * 2 < least)
        #expect(try kept(query, of: source).bytes == made(query, of: source).bytes)
    }

    @Test func `a gain map with numbers for each channel keeps three channels, even of grey samples`() throws {
        let three = UltraHDR.properties.replacing(" hdrgm:GainMapMax=\"3\"", with: "").replacing(
            "/>\n</rdf:RDF>",
            with: """
                ><hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:GainMapMax>
                </rdf:Description></rdf:RDF>
                """
        )
        let colours = PixelImage(width: 32, height: 24) { x, _ in x < 16 ? [90, 90, 90, 255] : [200, 40, 40, 255] }
        let source = UltraHDR.file(picture, UltraHDR.map(try Self.jpeg(colours), properties: three, segment: nil))
        for (query, samples) in [("w=64", [200, 40]), ("crop=50x96&gravity=west", [90, 90])] {
            let images = try #require(TwoImages(try kept("\(query)&format=jpeg", of: source).bytes))
            let frame = try #require(images.secondSegments.first { $0.marker == 0xC0 })
            #expect(frame.content[5] == 3, "\(query)")
            let map = try Workbench.decode(images.second, as: .jpeg)
            let last = map[map.width - 1, map.height / 2]
            #expect(abs(Int(last[0]) - samples[0]) < 12 && abs(Int(last[1]) - samples[1]) < 12, "\(query): \(last)")
        }
    }
}
