import Dialects
import ImagePlan
import Testing

/// `max_bytes` of imgproxy, thumbor and imagor, which is no limit where no quality can be lowered.
@Suite(.timeLimit(.minutes(1)))
struct SizeLimitTests {
    @Test("imgproxy's limit concerns formats with a quality")
    func imgproxy() throws {
        let table = TranslationTable(
            dialect: .imgproxy,
            prefix: "/_/",
            suffix: "/plain/a/b",
            lines: """
                mb:500/f:png -> anim=first&format=png
                mb:500/f:gif -> format=gif
                mb:500/f:tiff -> format=tiff
                aq:size:500/f:png -> anim=first&format=png
                mb:500/f:webp/webpo:lossless -> format=webp&lossless=1
                mb:500/f:webp -> format=webp&max_bytes=500
                mb:500/f:jxl -> format=jxl&max_bytes=500
                mb:500 -> format=source&max_bytes=500
                """
        )
        #expect(try table.check() == 8)
    }

    @Test("thumbor's limit concerns formats with a quality", arguments: [Dialect.thumbor, .imagor])
    func thumbor(dialect: Dialect) throws {
        let (start, end) = dialect == .imagor ? ("anim=first&", "&meta=keep") : ("", "")
        for (filters, query) in [
            ("max_bytes(500):format(png)", "\(start)format=png\(end)"),
            ("format(gif):max_bytes(500)", "format=gif\(end)"),
            ("max_bytes(500)", "format=source&max_bytes=500\(end)"),
            ("max_bytes(500):format(webp)", "format=webp&max_bytes=500\(end)"),
        ] {
            let translation = try TranslationTable.translate(dialect, "/unsafe/filters:\(filters)/photos/cat.jpg")
            #expect(translation.query == query, "\(filters)")
        }
    }

    @Test("imagor's limit does not concern lossless pictures, and metadata")
    func imagor() throws {
        let table = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/",
            suffix: "/photos/cat.jpg",
            lines: """
                filters:strip_exif():max_bytes(500):format(webp):lossless() -> format=webp&lossless=1
                filters:strip_exif():max_bytes(500):format(tiff) -> format=tiff
                meta/filters:max_bytes(500) -> format=json&meta=keep
                """
        )
        #expect(try table.check() == 3)
    }
}
