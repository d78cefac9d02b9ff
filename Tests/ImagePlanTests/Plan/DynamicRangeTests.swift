import ImagePlan
import TestSupport
import Testing

/// `hdr=keep`: what it changes in a plan.
@Suite(.timeLimit(.minutes(1)))
struct DynamicRangeTests {
    private func plan(_ query: String) throws -> Plan {
        try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private func header(hasGainMap: Bool? = true, format: ImageFormat = .jpeg) -> ImageHeader {
        var header = ImageHeader(format: format, width: 4000, height: 3000)
        header.hasGainMap = hasGainMap
        return header
    }

    @Test(
        arguments: [
            ("hdr=keep&w=40", "1?w=40&hdr=keep"), ("w=40&hdr=sdr", "1?w=40"),
            ("w=40&hdr=keep&format=jpeg", "1?w=40&format=jpeg&hdr=keep"),
            ("w=40&hdr=keep&format=webp", "1?w=40&format=webp"), ("hdr=keep&format=json", "1?format=json"),
            ("blur=3&hdr=keep", "1?blur=3"), ("rotate=90&flip=h&trim=9&hdr=keep", "1?rotate=90&flip=h&trim=9&hdr=keep"),
            ("rotate=91&hdr=keep", "1?rotate=91"), ("rotate=90&expand=0&hdr=keep", "1?rotate=90&expand=0"),
        ]
    )
    func `it stays only where a gain map can`(query: String, text: String) throws {
        #expect(try plan(query).canonicalText == text)
        #expect(try Plan(canonicalText: text).canonicalText == text)
    }

    @Test func `another value is refused`() {
        #expect(throws: RequestError.self) { try plan("hdr=yes") }
    }

    @Test func `only JPEGs with a gain map are concerned`() throws {
        #expect(try plan("w=40&hdr=keep").keepsGainMap(of: header()))
        #expect(try !plan("w=40").keepsGainMap(of: header()))
        #expect(try !plan("w=40&hdr=keep").keepsGainMap(of: header(hasGainMap: false)))
        #expect(try !plan("w=40&hdr=keep").keepsGainMap(of: header(format: .heic)))
        #expect(try !plan("pad=9&hdr=keep").keepsGainMap(of: header()))
        #expect(try plan("pad=9&bg=fff&hdr=keep").keepsGainMap(of: header()))
        #expect(try plan("pad=9&format=jpeg&hdr=keep").keepsGainMap(of: header()))
        #expect(try !plan("lossless=1&hdr=keep").keepsGainMap(of: header()))
    }

    @Test func `no mezzanine replaces the original`() throws {
        let (text, plain) = (try plan("w=400&hdr=keep").canonicalText, try plan("w=400").canonicalText)
        #expect(Mezzanine.smallest(for: plain, of: header()) != nil)
        #expect(Mezzanine.smallest(for: text, of: header()) == nil)
        #expect(Mezzanine.smallest(for: text, of: header(hasGainMap: false)) != nil)
        // Records of earlier releases do not tell.
        #expect(Mezzanine.smallest(for: text, of: header(hasGainMap: nil)) == nil)
    }

    @Test func `results with and without it are never taken for each other`() throws {
        let encoding = PlanEffect.Encoding(bucket: nil)
        for header in [header(), header(hasGainMap: false)] {
            let kept = try #require(PlanEffect(of: plan("w=40&format=jpeg&hdr=keep"), on: header, encoding))
            let plain = try #require(PlanEffect(of: plan("w=40&format=jpeg"), on: header, encoding))
            #expect(kept.text != plain.text && kept.format == .jpeg)
        }
        let png = header(hasGainMap: false, format: .png)
        let kept = try #require(PlanEffect(of: plan("w=40&format=jpeg&hdr=keep"), on: png, encoding))
        #expect(try kept == PlanEffect(of: plan("w=40&format=jpeg"), on: png, encoding))
    }

    @Test func `the format of a negotiated result is known`() throws {
        let encoding = PlanEffect.Encoding(bucket: .avif)
        #expect(try PlanEffect(of: plan("w=40&hdr=keep"), on: header(), encoding)?.format == .jpeg)
        #expect(try PlanEffect(of: plan("w=40"), on: header(), encoding)?.format == nil)
        #expect(try PlanEffect(of: plan("w=40&hdr=keep"), on: header(hasGainMap: nil), encoding)?.format == nil)
    }
}
