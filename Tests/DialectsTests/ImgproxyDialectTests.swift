import Dialects
import ImagePlan
import TestSupport
import Testing

/// imgproxy's options in our language, one by one.
@Suite(.timeLimit(.minutes(1)))
struct ImgproxyDialectTests {
    /// The query of `/_/OPTIONS/plain/cat.jpg`, without the format that every one has.
    private func query(_ options: String, query: String = "") throws -> String {
        let path = Array("/_/\(options)/plain/cat.jpg".utf8)
        let translation = try Dialect.imgproxy.translate(path: path, query: Array(query.utf8))
        #expect(translation.image == .path("cat.jpg"))
        #expect(translation.signature == .none)
        let own = translation.parameters.filter { $0 != Parameter("format", "source") }
        #expect(own.count == translation.parameters.count - 1, "no format=source in \(translation.query)")
        return own.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    @Test(arguments: [
        ("rs:fit:300:200", "w=300&h=200"), ("resize:fit:300:200:0:0", "w=300&h=200"), ("s:300:200", "w=300&h=200"),
        ("size:300::1", "w=300&enlarge=1"), ("w:300", "w=300"), ("width:300/height:0", "w=300"), ("h:200", "h=200"),
        ("rs::300:200", "w=300&h=200"), ("rs:fill:300:200", "w=300&h=200&fit=crop"),
        ("rs:fill:300:200:1", "w=300&h=200&fit=cover&enlarge=1"), ("rs:fill:300", "w=300"),
        ("rs:fill-down:300:200", "w=300&h=200&fit=cover"), ("rs:force:300:200:t", "w=300&h=200&fit=fill&enlarge=1"),
        ("rs:auto:300:200", "w=300&h=200&fit=auto"), ("rt:fill/w:300/h:200", "w=300&h=200&fit=crop"),
        ("resizing_type:fill/s:300:200/rt:fit", "w=300&h=200"), ("el:1/enlarge:0/s:300:200", "w=300&h=200"),
        ("rs:fill:0:0", ""), ("s:0:0/el:1", ""),
    ])
    func resize(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(arguments: [
        ("s:300:200/dpr:2", "w=600&h=400"), ("s:301:200/dpr:0.5", "w=151&h=100"), ("s:300:200/z:1.5", "w=450&h=300"),
        ("rs:force:300:200/zoom:2:0.5", "w=600&h=100&fit=fill"), ("dpr:2", ""), ("dpr:0.5", "w=50%"),
        ("z:0.25", "w=25%"), ("z:3", ""), ("z:3/el:1", "w=300%&enlarge=1"), ("z:0.5/dpr:0.5", "w=25%"),
        ("mw:300", "min-w=300"), ("min-width:300/min-height:200", "min-w=300&min-h=200"),
        ("w:100/mh:80", "w=100&min-h=80&crop=100x100%"),
        ("rs:fill:100:90/mw:300/g:no", "w=100&h=90&min-w=300&crop=100x90,north&fit=outside"),
        ("s:100:90/mw:30/dpr:2", "w=200&h=180&min-w=60&crop=200x180"),
    ])
    func `dpr, zoom and least sides`(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(arguments: [
        ("rs:fill:9:9/g:no", "gravity=north"), ("rs:fill:9:9/gravity:soea:10:20", "gravity=southeast,10,20"),
        ("rs:fill:9:9/g:ce:-10:0.25", "gravity=center,-10,25%"), ("rs:fill:9:9/g:we:1.5:0/dpr:2", "gravity=west,3,0%"),
        ("rs:fill:9:9/g:fp:0.3:0.75", "gravity=0.3,0.75"), ("rs:fill:9:9/g:sm", "gravity=attention"),
        ("rs:fill:9:9/g:obj:face", "gravity=subject"), ("rs:fill:9:9/g:obj", "gravity=subject"),
        ("rs:auto:9:9/g:nowe", "gravity=northwest"), ("rs:fill-down:9:9/g:ea", "gravity=east"),
        // Offsets stay until they are stated again.
        ("rs:fill:9:9/g:no:0:5/g:so", "gravity=south,0%,5"), ("rs:fill:9:9/g:no:0:5/g:sm/g:so", "gravity=south"),
    ])
    func gravity(options: String, expected: String) throws {
        let gravity = try query(options).split(separator: "&").last { $0.hasPrefix("gravity=") }
        #expect(gravity.map(String.init) == expected)
    }

    @Test(arguments: [
        ("c:300:200", "crop=300x200"), ("crop:0.5:0.25", "crop=50%x25%"), ("c:0:0.333333", "crop=100%x33.3333%"),
        ("c:300", "crop=300x100%"), ("c:0:0", ""), ("c:99.9:1.2", "crop=99x1"),
        ("c:300:200:nowe:10:20", "crop=300x200,northwest,10,20"), ("c:300:200/g:so", "crop=300x200,south"),
        ("c:300:200:no/rs:fill:30:20/g:so:0:3/dpr:2", "crop=300x200,north&w=60&h=40&fit=crop&gravity=south,0%,6"),
        ("c:300:200:no:0:5/s:30:20/dpr:2", "crop=300x200,north,0%,5&w=60&h=40"), ("car:1.91", "crop=191:100"),
        ("crop_ar:0", ""), ("car:1/g:no", "crop=1:1,north"),
        ("t:10", "trim=10"), ("trim:0.2::0:0", "trim=1"), ("t:", ""),
        ("rot:90", "rotate=90"), ("rotate:-90", "rotate=270"), ("rot:360", ""), ("fl:1", "flip=h"),
        ("flip:0:t", "flip=v"), ("fl:1:1", "flip=hv"), ("ar:1", ""),
        // Their pipeline's order, whatever the URL's.
        (
            "pd:5/bl:2/s:30:20/c:300:200/fl:1/rot:90/t:9",
            "trim=9&rotate=90&flip=h&crop=300x200&w=30&h=20&blur=2&pad=5"
        ),
    ])
    func `what comes before the resize`(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(arguments: [
        ("rs:fit:30:20:0:1", "w=30&h=20&fit=pad"),
        ("s:30:20/ex:1:so:0:4/dpr:2", "w=60&h=40&fit=pad&gravity=south,0%,8"),
        ("s:30:20/ex:1:fp:0.5:0.5", "w=30&h=20&fit=pad"), ("s:30:20/ex:1/bl:3", "w=30&h=20&blur=3&pad=30x20"),
        ("rs:fill:30:20:0:1:no", "w=30&h=20&pad=30x20,north&fit=crop"), ("w:30/ex:1", "w=30&pad=30x100%"),
        ("ex:1", ""), ("s:30:20/ex:0", "w=30&h=20"), ("s:32:18/exar:1:we", "w=32&h=18&pad=16:9,west"),
        ("w:30/extend_ar:1", "w=30"), ("s:30:20/ex:1/extend_aspect_ratio:1", "w=30&h=20&fit=pad"),
        ("pd:10", "pad=10"), ("pd:10:20", "pad=10,20"), ("padding:1:2:3:4", "pad=1,2,3,4"), ("pd::2", "pad=0,2"),
        ("pd:10/dpr:2", "pad=10"), ("s:9:9/pd:10/dpr:2", "w=18&h=18&pad=20"), ("pd:0", ""),
        ("pd:1:2:3:4/pd:5", "pad=5"), ("bg:ff8800", "bg=ff8800"), ("bg:255:136:0/bga:0.5", "bg=ff880080"),
        ("bg:f80/bg:", ""), ("background:f80/background_alpha:0", ""),
    ])
    func `canvas and background`(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(arguments: [
        ("bl:2.5/sh:1/pix:8", "blur=2.5&sharpen=1&pixelate=8"), ("pixelate:1/blur:0/sharpen:0", ""),
        ("a:-20:1.5:0.5", "offset=-20&contrast=1.5&saturation=0.5"), ("br:30", "offset=30"),
        ("co:1.2/sa:0/br:0", "contrast=1.2&saturation=0"),
        ("mc:1", "filter=monochrome:b3b3b3"), ("monochrome:1:f80", "filter=monochrome:ff8800"), ("mc:0:f80", ""),
        ("dt:1:102030:ffffff", "filter=duotone:102030,ffffff"), ("duotone:0", ""),
        ("col:0.5:f80", "tint=ff880080,over"), ("colorize:1:f80:1", "tint=ff8800"), ("col:0", ""), ("wm:0", ""),
    ])
    func effects(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(arguments: [
        ("q:80", "q=80"), ("quality:0", ""), ("fq:jpg:80:avif:60", "q=avif:60,jpeg:80"),
        ("fq:png:50:webp:70", "q=webp:70"),
        ("fq:jpeg:80/q:70", "q=70"), ("fq:jpeg:80:jpeg:0", ""), ("aq:dssim", "q=auto"), ("aq:none", ""),
        ("aq:size:9000", "max_bytes=9000"), ("mb:20000", "max_bytes=20000"), ("max_bytes:0", ""),
        ("sm:0", "meta=keep"), ("sm:1", "meta=strip"), ("kcr:1", "meta=copyright"), ("sm:1/kcr:0", "meta=strip"),
        ("scp:1/ph:0/eth:0/ra:lanczos3/cp:srgb/dpi:0/pgs:1/hs:none/bc:0/dd:0", ""),
        ("jpgo:1:1", "progressive=1&chroma=444"),
        ("pngo:1", "progressive=1"), ("webpo::1", "sharp_yuv=1"), ("webpo:lossy:0:photo", ""),
        ("avifo:on", "chroma=420"),
        ("pg:2", "page=2"), ("da:1", "anim=first"), ("cb:abc/skp:", ""), ("exp:1900000000", "exp=1900000000"),
        ("expires:0", ""), ("fn:cat%20one", "filename=cat one"), ("filename:Y2F0:1", "filename=cat"),
        ("att:1", "download=1"),
    ])
    func `output and request`(options: String, expected: String) throws {
        #expect(try query(options) == expected)
    }

    @Test(
        arguments: [
            ("f:webp", "", "format=webp"), ("ext:jpg", "", "format=jpeg"), ("f:webp", "@png", "anim=first&format=png"),
            ("f:best", "", "format=auto"), ("_:", "@avif", nil),
            ("q:80/mb:9/fq:jpeg:7", "@png", "anim=first&format=png"),
            ("fq:jpeg:80:webp:70", "@webp", "format=webp&q=webp:70"),
            ("jpgo:1:1/avifo:off", "@avif", "anim=first&format=avif&chroma=444"),
            ("webpo:lossless", "@webp", "format=webp&lossless=1"), ("webpo:lossless", "@jpg", "format=jpeg"),
            ("pngo:1", "@jpg", "format=jpeg"), ("raw:1/q:80/att:1", "@png", "download=1"),
            ("cb:1", "@", "format=source"), ("pg:2", "@png", "format=png&page=2"), ("f:jxl", "", "format=jxl"),
            ("da:1", "@webp", "anim=first&format=webp"),
        ] as [(String, String, String?)]
    )
    func formats(options: String, end: String, expected: String?) throws {
        let path = Array("/_/\(options)/plain/cat.jpg\(end)".utf8)
        guard let expected else {
            #expect(throws: RequestError.self) { try Dialect.imgproxy.translate(path: path, query: []) }
            return
        }
        #expect(try Dialect.imgproxy.translate(path: path, query: []).query == expected)
    }

    @Test(arguments: [
        ("pg:1/plain/a.gif", "format=source&frame=1"), ("pg:1/da:1/plain/a.webp", "format=source&frame=1"),
        ("pg:1/plain/http://a.example/A.GIF%3Fv=1@png", "format=png&frame=1"), ("pg:0/plain/a.gif", "format=source"),
        ("pg:1/plain/a.tiff", "format=source&page=1"), ("pg:1/plain/a", "format=source&page=1"),
    ])
    func `the name of the image says whether it has frames or pages`(rest: String, expected: String) throws {
        let translation = try Dialect.imgproxy.translate(path: Array("/_/\(rest)".utf8), query: [])
        #expect(translation.query == expected)
    }

    @Test(arguments: [
        ("pr:small", "preset=small"), ("pr:small/w:200", "preset=small&w=200"), ("cb:1/preset:small", "preset=small"),
        ("pr:small/rs:fit:200:100", "preset=small&w=200&h=100&fit=contain"),
        ("pr:small/el:0/g:ce/dpr:2", "preset=small&gravity=center&enlarge=0&dpr=2"),
        ("pr:small/f:webp", "preset=small&format=webp"),
    ])
    func presets(options: String, expected: String) throws {
        let path = Array("/_/\(options)/plain/cat.jpg".utf8)
        let translation = try Dialect.imgproxy.translate(path: path, query: [])
        #expect(translation.query == expected)
        var parsing = ParseOptions()
        parsing.presets["small"] = try Preset(name: "small", text: "w=400&h=300&fit=cover&q=70")
        _ = try RequestLanguage.parse(query: translation.query, options: parsing)
    }

    @Test(arguments: [
        ("resize:fits:1:1", "resize"), ("rs:fit:1:1:1:1:sm", "rs"), ("s:-1", "s"), ("w:", "w"), ("w:1.5", "w"),
        ("w:9000/dpr:2", "w"), ("rs:force:30", "rs"), ("z:2:1/s:9:9", "z"), ("zoom:0", "zoom"), ("dpr:0", "dpr"),
        ("rs:auto:9:9/mw:3", "mw"), ("s:9:9/ex:1:fp:0.1:0.2", "ex"), ("ex:2", "ex"), ("g:xx", "g"), ("g:fp:0.1", "g"),
        ("gravity:fp:2:0", "gravity"), ("g:objw:face:2", "g"), ("g:obj:dog", "g"), ("g:sm:1", "g"), ("c:a", "c"),
        ("car:2/c:10:10", "car"), ("c:0:9/crop_ar:1", "crop_ar"), ("t:10:ff0000", "t"), ("t:10::1", "t"),
        ("rot:45", "rot"), ("ar:0", "ar"), ("bg:12", "bg"),
        ("bg:1:2:300", "bg"),
        ("bl:0.1", "bl"), ("sh:11", "sh"), ("br:256", "br"), ("a:1.5", "a"), ("co:1:face", "co"), ("mc:0.5", "mc"),
        ("wm:0.5:ce", "wm"), ("wmu:abc", "wmu"), ("f:heic", "f"), ("f:jpge", "f"), ("q:101", "q"), ("fq:jpeg", "fq"),
        ("fq:tiff:3", "fq"), ("aq:dssim:0.02", "aq"), ("scp:0", "scp"), ("ph:1", "ph"), ("eth:1", "eth"),
        ("ra:cubic", "ra"),
        ("icc:cmyk", "icc"), ("pngo:0:1", "pngo"), ("webpo:lossless", "webpo"), ("pgs:2", "pgs"), ("pg:1/da:1", "pg"),
        ("skp:gif", "skp"), ("exp:soon", "exp"), ("fn:a%2Fb", "fn"), ("fn:!!:1", "fn"), ("pr:a:b", "pr"),
        ("pr:none", "pr"),
        ("w:9/pr:a", "pr"), ("pr:a/z:2", "z"), ("pr:a/dpr:2/bl:3", "dpr"), ("msr:5", "msr"), ("vts:1", "vts"),
        ("gr:0.5", "gr"), ("dpi:300", "dpi"), ("hs:md5:00", "hs"), ("bc:1", "bc"), ("ct:a", "ct"), ("style:a", "style"),
        ("widht:9", "widht"), (":9", "path"), ("pd:1:2:3:4:5", "pd"), ("pd:9000/s:9:9/dpr:2", "pd"),
    ])
    func `names what cannot be said as it was written`(options: String, parameter: String) {
        let path = Array("/_/\(options)/plain/cat.jpg".utf8)
        let error = #expect(throws: RequestError.self) { try Dialect.imgproxy.translate(path: path, query: []) }
        #expect(error?.parameter == parameter && error?.status == .malformed)
    }

    @Test func `the nearest name is suggested`() {
        let error = #expect(throws: RequestError.self) {
            try Dialect.imgproxy.translate(path: Array("/_/widht:9/plain/a".utf8), query: [])
        }
        #expect(error?.reason == "is not an option of imgproxy; did you mean width?")
    }

    @Test func `sizes are those of imgproxy`() throws {
        // By the formulas of its processing/prepare.go.
        let cases: [(options: String, source: (Int, Int), expected: String)] = [
            ("rs:fit:300:300", (4032, 3024), "300x225"), ("rs:fill:300:300", (4032, 3024), "300x300"),
            ("rs:fill:400:400", (300, 200), "300x200"), ("rs:fill:250:400", (300, 200), "250x200"),
            ("rs:fill-down:400:400", (300, 200), "200x200"), ("rs:fill-down:400:100", (300, 200), "300x75"),
            ("rs:auto:300:200", (4032, 3024), "300x200"), ("rs:auto:200:300", (4032, 3024), "200x150"),
            ("rs:fit:300:300/dpr:2", (400, 300), "400x300"), ("rs:fit:300:200:0:1", (100, 50), "300x200"),
            ("w:300/exar:1/h:300", (400, 200), "300x300"), ("mw:500", (300, 200), "500x333"),
            ("rs:fill:100:100/mh:150", (400, 200), "100x100"), ("rot:90/w:100", (400, 200), "100x200"),
            ("c:200:100/rs:fit:50:50/pd:5", (400, 300), "60x35"), ("z:0.5", (301, 200), "151x100"),
            ("rs:fit:100:200:1/pd:10", (50, 100), "120x220"),
        ]
        for (options, source, expected) in cases {
            let path = Array("/_/\(options)/plain/cat.jpg".utf8)
            let query = try Dialect.imgproxy.translate(path: path, query: []).query
            let plan = try RequestLanguage.parse(query: query, options: ParseOptions()).plan
            let size = try PlanGeometry.outputSize(of: plan, source: PixelSize(width: source.0, height: source.1))
            #expect(size.description == expected, "\(options)")
        }
    }
}
