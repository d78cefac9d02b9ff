import HostileTestSupport
import ImagePlan
import TestSupport

/// Small images for targets that read image files.
enum PictureSeeds {
    private typealias Build = HeaderBuilder

    /// Headers of every format, and whole small files.
    static var headers: [[UInt8]] {
        let markup = "<?xml version='1.0'?><!-- c --><!DOCTYPE svg [<!ENTITY a 'b'>]>\n<svg width='3'/>"
        return cleanable + samples + hostile(HostileKind.allCases) + [
            Build.avif(width: 300, height: 200, turns: 1, alpha: true),
            Build.avif(width: 300, height: 200, brand: "heic"),
            Build.tiff([(256, 3, 300), (257, 4, 200), (274, 3, 6)]),
            Build.tiff([(256, 3, 300), (257, 4, 200), (274, 3, 6)], bigEndian: true),
            Build.bmp(width: 30, height: 20),
            Build.ico(pictures: [
                Array(Build.bmp(width: 32, height: 64).dropFirst(14)), Build.png(width: 50, height: 40),
            ]),
            Build.jp2(width: 300, height: 200), Build.jxl(width: 3000, height: 2000), Array(markup.utf8),
            TestDocuments.pdf(["0 0 10 10 re f"]),
        ]
    }

    /// Images in formats whose metadata can be removed.
    static var cleanable: [[UInt8]] {
        let exif = Build.tiff([(0x0112, 3, 6)])
        let tagged = TestImages.withCamera("Camera", Build.jpeg(width: 640, height: 480, orientation: 6, padding: 30))
        return [
            Build.jpeg(width: 640, height: 480, orientation: 6, padding: 30), tagged,
            Build.png(width: 30, height: 40, colorType: 6, frames: 12, orientation: 6),
            TestImages.png(width: 2, height: 1, rgba: [1, 2, 3, 4, 5, 6, 7, 8]),
            TestImages.animatedPNG(
                width: 2,
                height: 1,
                frames: [.init(2, 1, [1, 2, 3, 4]), .init(1, 1, [4, 3, 2, 1])]
            ),
            Build.gif(width: 20, height: 10, frames: 3, transparent: true),
            Build.riff([Build.vp8(width: 300, height: 200)]),
            Build.riff([Build.vp8l(width: 300, height: 200, alpha: true)]),
            Build.riff([
                Build.webpExtended(flags: 0x1A, width: 300, height: 200), ("ANIM", [0, 0, 0, 0, 0, 0]),
                ("ANMF", [UInt8](repeating: 0, count: 16)), ("EXIF", exif), ("XMP ", Build.text("<x/>")),
            ]),
        ] + markup.map { Array($0.utf8) } + [Gzip.encode(Array(markup[0].utf8))]
            + hostile([.pngFrames, .gifFrames, .webpFrames])
            + hostile([.svgUses, .svgFilters, .svgReferences, .svgMarkup, .svgz, .metadata])
    }

    /// The beginnings of files of several kinds from the corpus of hostile pictures.
    private static func hostile(_ kinds: [HostileKind]) -> [[UInt8]] {
        func sample(_ name: String) -> [UInt8] { (try? SampleFiles.bytes(name)) ?? [] }
        let corpus = HostileCorpus(
            .init(
                jpeg: Build.jpeg(width: 64, height: 48, orientation: 3),
                png: TestImages.gradient(width: 4, height: 3),
                gif: Build.gif(width: 20, height: 10, frames: 3),
                webp: Build.riff([Build.vp8(width: 64, height: 48)]),
                avif: sample("gradient-8bit.avif"),
                heic: sample("gradient.heic"),
                jxl: sample("gradient-16bit.jxl"),
                jp2: sample("gradient-8bit.jp2"),
                tiff: TestImages.tiff(pages: [(2, 2, 9), (3, 1, 7)])
            )
        )
        return kinds.flatMap { kind in (1..<5).map { Array(corpus.file(kind, $0).prefix(4096)) } }
    }

    /// EXIF blocks.
    static var metadata: [[UInt8]] {
        let tags = [0x010F, 0x0110, 0x9003, 0xA434, 0x829A, 0x829D, 0x8827, 0x920A, 0x8769].map {
            (tag: $0, type: 2, value: 8)
        }
        let rationals = tags.map { (tag: $0.tag, type: 5, value: 8) } + [(tag: 0x8769, type: 4, value: 8)]
        return [
            Build.tiff(tags), Build.tiff(rationals, bigEndian: true), Build.text("Exif") + [0, 0] + Build.tiff(tags),
            Build.tiff([(0x0112, 3, 6)]),
        ]
    }

    private static let markup = [
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="9" height="9" onload="a()">\
        <!-- c --><script>b</script><style>@import url(x);</style><image x:href="https://a.example/b.png"/>\
        <use href="#a"/><rect id="a" style="fill:url(#g)" width="9"/><text>a &amp; b<![CDATA[<c>]]></text></svg>
        """,
        """
        <?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a.dtd" [<!ENTITY ns "http://www.w3.org/2000/svg">\
        <!ENTITY e 'x>y'>]><svg xmlns="&ns;"><g a='&e;'>&#x26;&e;</g><a href="&#106;avascript:b"><path d="M0 0"/></a></svg>
        """,
    ]

    /// Files that other programs have written.
    private static var samples: [[UInt8]] {
        let names = ["gradient-8bit.avif", "gradient.heic", "gradient-8bit.jp2", "gradient-16bit.jxl", "sequence.avif"]
        return names.compactMap { try? SampleFiles.bytes($0) }
    }
}
