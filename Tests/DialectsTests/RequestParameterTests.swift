import Dialects
import ImagePlan
import Testing

/// Options about the request instead of the image: expiry, file name, download.
@Suite(.timeLimit(.minutes(1)))
struct RequestParameterTests {
    @Test("Originals of imagor expire, and are downloads, too")
    func raw() throws {
        let table = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/",
            suffix: "/photos/cat.jpg",
            lines: """
                filters:raw():expire(1000000000) -> exp=1000000
                filters:expire(1893456000000):raw():attachment(cat) -> exp=1893456000&download=1&filename=cat
                300x200/filters:attachment():quality(80):raw() -> download=1
                """
        )
        #expect(try table.check() == 3)
        let bare = try TranslationTable.translate(.imagor, "/unsafe/300x200/filters:raw():blur(3)/photos/cat.jpg")
        #expect(bare.parameters.isEmpty)
    }

    @Test("What our language refuses is said of the filter")
    func imagorNames() {
        let table = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/",
            suffix: "/photos/cat.jpg",
            lines: """
                filters:attachment(a%2Fb.jpg) -> attachment: becomes filename=a/b.jpg, which must be a file name
                filters:expire(1000000000000000) -> expire: becomes exp=1000000000000, which must be a time
                filters:raw():attachment(a%2Fb.jpg) -> attachment: becomes filename=a/b.jpg, which must be a file name
                filters:expire(1893456000000):expire(1893456001000) -> expire: becomes exp=1893456001, but expire
                filters:attachment(a):attachment(b) -> attachment: becomes filename=b, but attachment
                """
        )
        #expect(table.checkRefusals() == 5)
    }

    @Test("What our language refuses is said of weserv's parameter")
    func weservNames() {
        let table = TranslationTable(
            dialect: .weserv,
            prefix: "/?url=example.org/a.jpg&",
            lines: """
                filename=a%2Fb -> filename: becomes filename=a/b, which must be a file name
                filename=.. -> filename: becomes filename=.., which must be a file name
                """
        )
        #expect(table.checkRefusals() == 2)
    }

    @Test("imgproxy appends the extension of the format that a URL names")
    func imgproxyExtension() throws {
        let table = TranslationTable(
            dialect: .imgproxy,
            prefix: "/_/",
            lines: """
                fn:cat/plain/a/b.png@webp -> format=webp&filename=cat.webp
                fn:cat.png/plain/a/b.png@jpg -> format=jpeg&filename=cat.png.jpg
                f:jpeg/fn:cat/plain/a/b.png -> format=jpeg&filename=cat.jpg
                f:avif/fn:cat.avif/plain/a/b.png -> anim=first&format=avif&filename=cat.avif
                fn:cat/plain/a/b.png -> format=source&filename=cat
                raw:1/f:webp/fn:cat/plain/a/b.png -> filename=cat
                """
        )
        #expect(try table.check() == 6)
        let best = try TranslationTable.translate(.imgproxy, "/_/f:best/fn:cat/plain/a/b.png")
        #expect(best.query == "format=auto&filename=cat")
        let long = String(repeating: "x", count: 252)
        let error = #expect(throws: RequestError.self) {
            try TranslationTable.translate(.imgproxy, "/_/fn:\(long)/plain/a/b.png@webp")
        }
        #expect(error?.parameter == "fn")
        _ = try TranslationTable.translate(.imgproxy, "/_/fn:\(long)/plain/a/b.png")
    }

    @Test("weserv appends the extension of the format that a URL names")
    func weservExtension() throws {
        let table = TranslationTable(
            dialect: .weserv,
            prefix: "/?url=example.org/a.jpg&n=-1&",
            lines: """
                filename=cat&output=webp -> format=webp&filename=cat.webp
                output=jpg&filename=cat -> format=jpeg&filename=cat.jpg
                filename=cat&output=tif -> format=tiff&filename=cat.tiff
                filename=cat&output=json -> format=json&filename=cat
                filename=cat -> format=source&filename=cat
                """
        )
        #expect(try table.check() == 5)
    }

    @Test("imagor appends the extension of the format that a URL names, once")
    func imagorExtension() throws {
        let table = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/filters:strip_exif():",
            suffix: "/photos/cat.jpg",
            lines: """
                attachment(cat):format(webp) -> format=webp&download=1&filename=cat.webp
                format(webp):attachment(cat.webp) -> format=webp&download=1&filename=cat.webp
                attachment(cat.jpeg):format(jpeg) -> format=jpeg&download=1&filename=cat.jpeg
                attachment(cat.png):format(jpeg) -> format=jpeg&download=1&filename=cat.png.jpg
                attachment(cat.png) -> format=source&download=1&filename=cat.png
                """
        )
        #expect(try table.check() == 5)
    }
}
