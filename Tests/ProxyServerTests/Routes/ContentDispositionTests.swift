import Testing

@testable import ProxyServer

/// The name under which browsers save a response.
@Suite(.timeLimit(.minutes(1)))
struct ContentDispositionTests {
    private func field(_ filename: String?, _ download: Bool, _ segment: String?, _ mediaType: String) -> String {
        let disposition = ContentDisposition(filename: filename, isDownload: download, segment: segment)
        return String(decoding: disposition?.field(for: mediaType) ?? [], as: UTF8.self)
    }

    @Test(arguments: [
        ("a.jpg", "image/webp", "a.webp"), ("a.jpg", "image/jpeg", "a.jpg"), ("a.JPEG", "image/jpeg", "a.JPEG"),
        ("a", "image/avif", "a.avif"), ("a.b.tif", "image/png", "a.b.png"), (".hidden", "image/png", ".hidden.png"),
        ("img.2024", "image/webp", "img.2024.webp"), ("a.", "image/gif", "a..gif"),
        ("a.svg", "image/svg+xml", "a.svg"), ("a.jpg", "application/json", "a.json"),
        ("a.jpg", "text/plain; charset=utf-8", "a.txt"), ("a.zip", "application/zip", "a.zip"),
        ("a \"b\".png", "image/jxl", "a _b_.jxl"),
    ])
    func `a download has the last segment's name, and the extension of the result`(
        segment: String,
        mediaType: String,
        name: String
    ) {
        let expected = "Content-Disposition: attachment; filename=\"\(name)\"\r\n"
        #expect(field(nil, true, segment, mediaType) == expected)
    }

    @Test(arguments: [
        ("x", "image/webp", "x.webp"), ("x.jpg", "image/webp", "x.jpg"), ("v1.2", "image/png", "v1.2.png"),
        ("x", "application/zip", "x"),
    ])
    func `a stated name gets the extension of the result only if it has none`(
        filename: String,
        mediaType: String,
        name: String
    ) {
        #expect(field(filename, false, "a.png", mediaType) == "Content-Disposition: inline; filename=\"\(name)\"\r\n")
    }

    @Test(arguments: [nil, "", "a/b.png", "a\\b.png", String(repeating: "a", count: 251)])
    func `a path without a usable name gives none`(segment: String?) {
        #expect(field(nil, true, segment, "image/png") == "Content-Disposition: attachment\r\n")
    }

    @Test func `other letters than ASCII are encoded, with the extension`() {
        let expected = "attachment; filename=\"_.webp\"; filename*=UTF-8''%C3%A4.webp\r\n"
        #expect(field(nil, true, "ä.jpg", "image/webp") == "Content-Disposition: " + expected)
    }

    @Test func `without filename and download there is no field`() {
        #expect(field(nil, false, "a.png", "image/png").isEmpty)
    }
}
