import Foundation
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

@Suite(.timeLimit(.minutes(1)))
struct VectorTests {
    private func svg(_ attributes: String, _ body: String = "<rect width='100%' height='100%' fill='#f00'/>") -> [UInt8]
    {
        let space = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
        return Array("<svg \(space) \(attributes)>\(body)</svg>".utf8)
    }

    @Test(arguments: [
        ("width='40' height='20'", 40, 20), ("viewBox='0 0 30 60'", 30, 60), ("width='1in' height='0.5in'", 72, 36),
        ("width='50' viewBox='0 0 100 200'", 50, 100),
    ])
    func `the size follows width, height and viewBox`(attributes: String, width: Int, height: Int) throws {
        let made = try Workbench.make("format=png", of: svg(attributes), as: .svg)
        #expect(made.description.width == width && made.description.height == height)
        #expect(Array(try Workbench.decode(made)[width / 2, height / 2].prefix(3)) == [255, 0, 0])
    }

    @Test func `is resized with its transparency`() throws {
        let source = svg("width='64' height='64'", "<circle cx='32' cy='32' r='20' fill='#00f'/>")
        let made = try Workbench.make("w=32", of: source, as: .svg)
        #expect(made.description.format == .png && made.description.width == 32)
        let pixels = try Workbench.decode(made)
        #expect(pixels.alpha(1, 1) == 0)
        #expect(pixels[16, 16] == [0, 0, 255, 255])
    }

    @Test func `reads no file that the markup names`() throws {
        let folder = try TemporaryFolder()
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        let green = Workbench.png(PixelImage(width: 8, height: 8) { _, _ in [0, 255, 0, 255] })
        try write(green, "green.png")
        let outer = svg("width='8' height='8'", "<rect id='a' width='8' height='8' fill='#0f0'/>")
        try write(outer, "outer.svg")
        try write(Array("rect { fill: #0f0 }".utf8), "style.css")
        let path = folder.path
        for body in [
            "<image width='8' height='8' xlink:href='file://\(path)/green.png'/>",
            "<image width='8' height='8' href='\(path)/green.png'/>",
            "<use xlink:href='file://\(path)/outer.svg#a'/>",
            "<style>@import url('file://\(path)/style.css');</style><rect width='8' height='8' fill='none'/>",
            "<foreignObject width='8' height='8'><img src='file://\(path)/green.png'/></foreignObject>",
        ] {
            // It may be refused or drawn without the reference; a green pixel would come from the file.
            guard let made = try? Workbench.make("format=png", of: svg("width='8' height='8'", body), as: .svg) else {
                continue
            }
            let pixels = try Workbench.decode(made)
            for index in 0..<64 { #expect(Array(pixels[index % 8, index / 8].prefix(3)) != [0, 255, 0], "\(body)") }
        }
        let inside =
            Array(
                "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file://\(path)/style.css'>]>".utf8
            ) + svg("width='8' height='8'", "<text>&x;</text>")
        _ = try? Workbench.make("format=png", of: inside, as: .svg)
    }

    @Test func `embedded images are rendered`() throws {
        let source = svg(
            "width='8' height='8'",
            "<image width='8' height='8' xlink:href='data:image/png;base64,\(Self.green)'/>"
        )
        let pixels = try Workbench.pixels("", of: source, as: .svg)
        #expect(Array(pixels[4, 4].prefix(3)) == [0, 255, 0])
    }

    /// One green pixel.
    private static let green =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg=="

    @Test(arguments: ["<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'><rect", "<svg/>"])
    func `broken markup is refused`(text: String) {
        #expect(throws: WorkerReply.Failure.self) { try Workbench.make("format=png", of: Array(text.utf8), as: .svg) }
    }

    @Test func `exponential entities are not expanded`() {
        var entities = "<!ENTITY a0 'lol'>"
        for level in 1..<12 {
            entities += "<!ENTITY a\(level) '\(String(repeating: "&a\(level - 1);", count: 10))'>"
        }
        let bomb = Array("<!DOCTYPE svg [\(entities)]>".utf8) + svg("width='9' height='9'", "<text>&a11;</text>")
        let start = ContinuousClock.now
        _ = try? Workbench.make("format=png", of: bomb, as: .svg)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `a size over the limit is refused before rendering`() {
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("w=10&format=png", of: svg("width='20000' height='20000'"), as: .svg)
        }
    }

    @Test func `a size over the limit at 72 dpi is rendered at a lower resolution, without a placeholder`() throws {
        let source = svg("width='277in' height='277in'")
        let made = try Workbench.makeAll(["w=10&dpi=18&format=png", Placeholder.planText], of: source, as: .svg)
        #expect(made[0].description.width == 10)
        #expect(Placeholder(text: made[1].bytes) == Placeholder.none)
    }

    @Test func `compressed markup is expanded and rendered`() throws {
        let source = svg("width='1in' height='0.5in'")
        for query in [
            "format=png", "w=20&format=png", "dpi=144&format=png", "format=json", "w=300&enlarge=1&format=webp",
        ] {
            let plain = try Workbench.make(query, of: source, as: .svg)
            let compressed = try Workbench.make(query, of: Gzip.encode(source), as: .svgz)
            #expect(compressed.description.width == plain.description.width)
            // Except for the file's own size.
            if query != "format=json" { #expect(compressed.bytes == plain.bytes, "\(query)") }
        }
    }

    @Test func `compressed data that is not markup, doubly compressed or too large never reaches librsvg`() {
        let source = svg("width='8' height='8'")
        let spaces = [UInt8](repeating: 0x20, count: 65 << 20)
        for (held, failure) in [
            (Gzip.encode(source), WorkerReply.Failure.broken("the compressed data is not an SVG")),
            (TestImages.gradient(width: 4, height: 4), .broken("the compressed data is not an SVG")),
            (
                source + spaces,
                .refused("larger than 67108864 bytes when expanded (limits.source-bytes)")
            ),
        ] {
            #expect(throws: failure) { try Workbench.make("format=png", of: Gzip.encode(held), as: .svgz) }
        }
        #expect(throws: WorkerReply.Failure.broken("the compressed markup ends early")) {
            try Workbench.make("format=png", of: Array(Gzip.encode(source).dropLast(9)), as: .svgz)
        }
    }

    @Test func `is rendered at the requested size, not enlarged from pixels`() throws {
        let source = svg("width='10' height='10'", "<rect x='5' width='5' height='10' fill='#f00'/>")
        for query in [
            "w=400", "h=400", "w=400&enlarge=1", "w=400&h=400&fit=cover&enlarge=1", "w=400&h=400&fit=pad&enlarge=1",
            "w=400&h=400&fit=cover", "w=400&h=400&fit=crop", "w=400&h=400&fit=pad", "w=400&h=400&fit=fill",
            "w=400&h=900&fit=contain", "w=200&dpr=2", "w=400&h=300&fit=outside", "w=400&linear=1",
        ] {
            let pixels = try Workbench.pixels(query, of: source, as: .svg)
            #expect(pixels.width == 400 && pixels.height == 400)
            #expect(pixels.alpha(198, 200) == 0 && pixels.alpha(201, 200) == 255, "\(query)")
        }
        let strip = try Workbench.make(
            "w=16000&h=2&fit=fill&enlarge=1&format=png",
            of: svg("width='2' height='2000'"),
            as: .svg,
            maximumPixels: 40_000
        )
        #expect(strip.description.width == 16_000 && strip.description.height == 2)
    }

    @Test func `a crop or a turn before the resize leaves the drawing sharp`() throws {
        let source = svg("width='10' height='10'", "<rect x='5' width='5' height='10' fill='#f00'/>")
        for query in [
            "crop=2,0,6,6&w=600", "crop=2,0,6,6&w=600&h=600&fit=cover", "flip=v&w=1000&crop=200,0,600,600",
            "rotate=180&flip=h&crop=2,0,6,6&w=600", "crop=20%25,0,60%25,60%25&w=590",
        ] {
            let pixels = try Workbench.pixels(query, of: source, as: .svg)
            #expect(pixels.width == pixels.height && pixels.width >= 590, "\(query)")
            let middle = pixels.width / 2
            // Enlarged from pixels, the edge would be a hundred pixels wide.
            #expect(pixels.alpha(middle - 4, 99) < 10 && pixels.alpha(middle + 4, 99) > 245, "\(query)")
        }
    }

    @Test func `pixels remain limited where a vector image grows`() throws {
        let source = svg("width='10' height='10'")
        let reason = "w: would make the image 400x400; the limit is 159999 pixels"
        #expect(throws: WorkerReply.Failure.refused(reason, parameter: "w")) {
            try Workbench.make("w=400&format=png", of: source, as: .svg, maximumPixels: 159_999)
        }
        let made = try Workbench.make("w=400&format=png", of: source, as: .svg, maximumPixels: 160_000)
        #expect(made.description.height == 400)
    }

    @Test(arguments: [
        ("pad=2&w=400", 14), ("w=400&h=400&fit=cover&gravity=attention", 10), ("w=300%25", 10),
        ("pad=2&w=400&enlarge=1", 400), ("w=400&h=400&fit=cover&gravity=attention&enlarge=1", 400),
        ("w=300%25&enlarge=1", 30),
    ])
    func `grows only with enlarge where it could not be drawn larger or its size is not known`(
        query: String,
        width: Int
    ) throws {
        let made = try Workbench.make(query + "&format=png", of: svg("width='10' height='10'"), as: .svg)
        #expect(made.description.width == width && made.description.height == width)
    }

    @Test func `a description is that of the drawing`() throws {
        let made = try Workbench.make("w=400&format=json", of: svg("width='10' height='5'"), as: .svg)
        #expect(made.description.width == 400 && made.description.height == 200)
    }

    @Test func `dpi scales physical units`() throws {
        let made = try Workbench.make("dpi=144&format=png", of: svg("width='1in' height='1in'"), as: .svg)
        #expect(made.description.width == 144)
        let pixels = try Workbench.make("w=50&dpi=144&format=png", of: svg("width='1in' height='1in'"), as: .svg)
        #expect(pixels.description.width == 50)
        #expect(throws: WorkerReply.Failure.self) {
            try Workbench.make("dpi=1200", of: svg("width='9in' height='9in'"), as: .svg)
        }
    }

    @Test(.enabled(if: SharedImages.isAvailable))
    func `a drawing written by another program is rendered`() throws {
        let pixels = try Workbench.pixels("w=100", of: Workbench.photograph("logo.svg"), as: .svg)
        #expect(Set(pixels.bytes).count > 2)
    }
}
