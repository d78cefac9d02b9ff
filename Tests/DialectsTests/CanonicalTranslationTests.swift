import Dialects
import ImagePlan
import Testing

/// What translations of different servers have in common.
@Suite(.timeLimit(.minutes(1)))
struct CanonicalTranslationTests {
    @Test(
        "The same picture has the same query in all dialects",
        arguments: [
            [
                (Dialect.thumbor, "/unsafe/300x200/left/photos/cat.jpg"),
                (.imagor, "/unsafe/300x200/left/filters:strip_exif()/photos/cat.jpg"),
                (.weserv, "/?url=example.org/cat.jpg&w=300&h=200&fit=cover&a=left&n=-1"),
                (
                    .cloudflare,
                    "/cdn-cgi/image/fit=cover,width=300,height=200,gravity=left,metadata=none/photos/cat.jpg"
                ),
            ],
            [
                (.thumbor, "/unsafe/fit-in/600x400/filters:quality(70):format(webp)/photos/cat.jpg"),
                (.imagor, "/unsafe/fit-in/600x400/filters:format(webp):strip_exif():quality(70)/photos/cat.jpg"),
                (.weserv, "/?h=200&we&w=300&dpr=2&url=example.org/cat.jpg&q=70&n=-1&output=webp"),
                (.cloudflare, "/cdn-cgi/image/f=webp,q=70,dpr=2,h=200,w=300,metadata=none/photos/cat.jpg"),
            ],
        ]
    )
    func equal(requests: [(Dialect, String)]) throws {
        let queries = try requests.map { try TranslationTable.translate($0.0, $0.1).query }
        #expect(Set(queries).count == 1, "\(queries)")
    }

    @Test("imagor's raw is the original: no query at all")
    func raw() throws {
        let translation = try TranslationTable.translate(.imagor, "/unsafe/300x300/filters:raw()/photos/cat.jpg")
        #expect(translation.query.isEmpty)
        #expect(translation.image == .path("photos/cat.jpg"))
    }

    @Test("Cloudflare's width=auto is left to client hints")
    func automaticWidth() throws {
        let translation = try TranslationTable.translate(.cloudflare, "/cdn-cgi/image/width=auto,f=auto/photo.jpg")
        #expect(translation.query == "w=auto&format=auto&meta=copyright")
        let error = #expect(throws: RequestError.self) {
            try TranslationTable.translate(.cloudflare, "/cdn-cgi/image/width=auto,dpr=2/photo.jpg")
        }
        #expect(error?.parameter == "width")
    }

    @Test("Of a multi-page image, the name says whether it has frames or pages")
    func pages() throws {
        let requests: [(Dialect, String, String)] = [
            (.weserv, "/?url=example.org/a.webp&h=3&page=4", "frame=4"),
            (.weserv, "/?url=example.org/a.tiff&h=3&page=4", "page=4"),
            (.weserv, "/?url=example.org/a.gif&h=3&n=5&page=2", "frames=2-6"),
            (.imagor, "/unsafe/filters:page(3)/photos/a.gif", "frame=2"),
            (.imagor, "/unsafe/filters:page(3)/photos/book.tiff", "page=2"),
        ]
        for (dialect, request, parameter) in requests {
            #expect(try TranslationTable.translate(dialect, request).query.contains(parameter), "\(request)")
        }
    }

    @Test("A watermark needs the name of a source")
    func watermark() throws {
        let path = Array("/unsafe/filters:watermark(logo.png,0,0,50)/photos/cat.jpg".utf8)
        let error = #expect(throws: RequestError.self) { try Dialect.thumbor.translate(path: path, query: []) }
        #expect(error?.parameter == "watermark")
        let query = try Dialect.thumbor.translate(path: path, query: [], source: "shop").query
        #expect(query == "watermark=shop%2Flogo.png,northwest,,,,0.5&format=source")
    }

    @Test("A dialect's path that is not one is refused")
    func paths() {
        for (dialect, path) in [
            (Dialect.weserv, "/cat.jpg?url=a.b"), (.cloudflare, "/image/w=10/cat.jpg"), (.weserv, "/"),
        ] {
            #expect(throws: RequestError.self) { try TranslationTable.translate(dialect, path) }
        }
    }
}
