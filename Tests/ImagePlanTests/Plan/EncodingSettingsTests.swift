import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EncodingSettingsTests {
    private func canonical(_ query: String) throws -> String {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan.canonicalText
    }

    @Test(arguments: [
        ("dpi=72", "1?"), ("dpi=096", "1?dpi=96"), ("lossless=0", "1?"), ("lossless=1", "1?lossless=1"),
        ("progressive=0&sharp_yuv=0", "1?"),
        ("progressive=1", "1?progressive=1"), ("sharp_yuv=1", "1?sharp_yuv=1"), ("effort=06", "1?effort=6"),
        ("effort=0", "1?effort=0"), ("chroma=auto", "1?"), ("chroma=444", "1?chroma=444"),
        ("near_lossless=100", "1?"), ("near_lossless=060", "1?near_lossless=60"),
        ("near_lossless=0", "1?near_lossless=0"),
        ("alpha_q=100", "1?alpha_q=100"), ("max_bytes=020000", "1?max_bytes=20000"),
        (
            "sharp_yuv=1&max_bytes=9&effort=2&q=7&alpha_q=3&chroma=420",
            "1?alpha_q=3&chroma=420&effort=2&max_bytes=9&q=7&sharp_yuv=1"
        ),
    ])
    func `equivalent settings have one canonical text`(query: String, expected: String) throws {
        #expect(try canonical(query) == expected)
    }

    @Test(arguments: ["jxl", "tiff"])
    func `formats that are never negotiated can be named`(format: String) throws {
        #expect(try canonical("format=\(format)") == "1?format=\(format)")
    }

    @Test func `a setting without effect on the format is not an error`() throws {
        let all = "lossless=1&progressive=1&effort=9&chroma=444&near_lossless=5&sharp_yuv=1&alpha_q=5&max_bytes=1"
        for format in ["auto", "png", "gif", "tiff", "webp", "avif"] {
            #expect(throws: Never.self) { try canonical("\(all)&format=\(format)") }
        }
    }
}
