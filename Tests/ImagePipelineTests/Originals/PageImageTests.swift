import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct PageImageTests {
    private let page: OriginURL

    init() throws { page = try OriginURL("https://www.example.com/news/today.html") }

    private func url(_ markup: String) -> String? { PageImage(in: Array(markup.utf8))?.url(on: page)?.text }

    @Test(arguments: [
        (#"<meta property="og:image" content="https://cdn.example.com/a.jpg">"#, "https://cdn.example.com/a.jpg"),
        (#"<META CONTENT='/a.jpg' PROPERTY='OG:Image'/>"#, "https://www.example.com/a.jpg"),
        (#"<meta name=og:image content=a.jpg>"#, "https://www.example.com/news/a.jpg"),
        (#"<meta property="og:image:secure_url" content="//cdn.example.com/a.jpg">"#, "https://cdn.example.com/a.jpg"),
        (
            #"<meta name="twitter:image" content="a.jpg?b=1&amp;c=2&#38;d=&#x33;">"#,
            "https://www.example.com/news/a.jpg?b=1&c=2&d=3"
        ),
        (#"<link rel="stylesheet image_src" href="../b.png">"#, "https://www.example.com/b.png"),
        (#"<base href="/up/"><meta property=og:image content=a.jpg>"#, "https://www.example.com/up/a.jpg"),
        ("<meta\n property = \"og:image\"\n\tcontent=\"\n a b.jpg \" >", "https://www.example.com/news/a%20b.jpg"),
        (
            #"<meta property="og:image" content="">"# + #"<meta property="og:image" content="b.jpg">"#,
            "https://www.example.com/news/b.jpg"
        ),
        (
            #"<!doctype html><html><head><title>a < b</title><meta property="og:image" content="a.jpg"#,
            "https://www.example.com/news/a.jpg"
        ),
    ])
    func `finds the picture in any spelling`(markup: String, found: String) {
        #expect(url(markup) == found)
    }

    @Test func `og:image precedes twitter:image and image_src, and of equals the first counts`() {
        let link = #"<link rel="image_src" href="l.jpg">"#
        let twitter = #"<meta name="twitter:image" content="t.jpg">"#
        let open = #"<meta property="og:image" content="o.jpg">"#
        let second = #"<meta property="og:image" content="p.jpg">"#
        #expect(url(link + twitter + open + second)?.hasSuffix("/o.jpg") == true)
        #expect(url(link + twitter)?.hasSuffix("/t.jpg") == true)
        #expect(url(open + twitter + link)?.hasSuffix("/o.jpg") == true)
    }

    @Test(arguments: [
        "", "<", "<meta", "<!--<meta property=og:image content=a.jpg>",
        "<!-- <meta property=og:image content=a.jpg> -->",
        "<script>'<meta property=og:image content=a.jpg>'</script>",
        "<a title='><meta property=og:image content=a.jpg>'>", "<title><meta property=og:image content=a.jpg></title>",
        "<body><meta property=og:image content=a.jpg>", "<meta property=og:image>", "<meta content=a.jpg>",
        "<meta property=og:title content=a.jpg>", "<meta property=og:image content='javascript:alert(1)'>",
        "<meta property=og:image content='data:image/png;base64,Zm9v'>", "<meta property=og:image content='file:///a'>",
        "<meta property=og:image content='http://user:pass@a/'>", "&lt;meta property=og:image content=a.jpg>",
    ])
    func `finds nothing where a browser sees none, and no other scheme`(markup: String) {
        #expect(url(markup) == nil)
    }

    @Test func `any bytes are read to their end`() {
        var generator = SeededGenerator(seed: 3)
        let pieces = [
            "<", ">", "\"", "'", "=", " ", "<!--", "-->", "<script>", "</script>", "<meta ", "property=og:image ",
            "content=",
            "a.jpg", "&amp;", "&#", ";", "<title", "</", "\u{0}", "é", "<base href=", "/",
        ]
        for _ in 0..<3_000 {
            let markup = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            var bytes = Array(markup.utf8)
            if !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let found = PageImage(in: bytes)?.url(on: page) { #expect(found.text.hasPrefix("http")) }
        }
        for piece in pieces {
            let long = Array(String(repeating: piece, count: 20_000 / piece.utf8.count).utf8)
            _ = PageImage(in: long)
            _ = PageImage(in: Array("<meta content=\"".utf8) + long)
        }
    }
}
