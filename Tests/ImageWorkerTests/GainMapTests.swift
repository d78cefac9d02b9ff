import CVips
import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// JPEGs with a gain map after the picture (Ultra HDR, ISO 21496-1): results are the standard-range picture without references to
/// the gain map.
@Suite(.timeLimit(.minutes(1)))
struct GainMapTests {
    private static let packet = """
        <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
        xmlns:Container="http://ns.google.com/photos/1.0/container/"
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" xmlns:dc="http://purl.org/dc/elements/1.1/"
        xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version="1.0" dc:source="camera > roll">
        <dc:title>A bus</dc:title><!-- made by hand --><Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource">
        <Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li><rdf:li rdf:parseType="Resource">
        <Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="1234"/></rdf:li></rdf:Seq>
        </Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """
    private static let words = ["hdrgm", "hdr-gain-map", "Container", "GainMap", "MPF\0", "21496"]

    private let primary: [UInt8]
    private let file: [UInt8]

    init() throws {
        let picture = PixelImage(width: 64, height: 48) { x, y in [UInt8(x * 4), UInt8(y * 5), 90, 255] }
        primary = try Workbench.make("format=jpeg&q=95&chroma=444", of: Workbench.png(picture), as: .png).bytes
        // A different picture, so that using it would show.
        let map = try Workbench.make("format=jpeg", of: TestImages.gradient(width: 32, height: 24), as: .png).bytes
        let segments =
            Self.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(Self.packet.utf8))
            + Self.segment(0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0])
        let length = primary.count + segments.count + Self.index(0, 0).count
        let index = Self.index(length, map.count)
        file = Array(primary[..<2]) + segments + index + primary[2...] + map
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    /// CIPA DC-007 §5: two pictures, the second where the first ends.
    private static func index(_ length: Int, _ mapLength: Int) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { PNGChunk.word(value) }
        let entries =
            [0xB0, 0x00, 0, 7] + word(4) + Array("0100".utf8) + [0xB0, 0x01, 0, 4] + word(1) + word(2)
            + [0xB0, 0x02, 0, 7] + word(32) + word(50)
        let images =
            word(0x03_0000) + word(length) + word(0) + word(0) + word(0) + word(mapLength) + word(length) + word(0)
        let tiff: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 3]
        return segment(0xE2, Array("MPF\0".utf8) + tiff + entries + word(0) + images)
    }

    private func contains(_ bytes: [UInt8], _ word: String) -> Bool {
        let word = Array(word.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: word) }
    }

    @Test func `decodes the base image`() throws {
        guard case .image(let header) = ImageSniffer.sniff(file.span, totalLength: file.count) else {
            Issue.record("no header")
            return
        }
        #expect(header.width == 64 && header.height == 48 && header.frames == 1)
        #expect(try Workbench.pixels("", of: file, as: .jpeg) == Workbench.pixels("", of: primary, as: .jpeg))
        #expect(try Workbench.pixels("w=16", of: file, as: .jpeg) == Workbench.pixels("w=16", of: primary, as: .jpeg))
    }

    @Test(arguments: ["", "&meta=copyright", "&meta=keep"], ["jpeg", "webp", "png", "avif"])
    func `no result refers to images that it does not contain`(meta: String, format: String) throws {
        for word in Self.words { #expect(contains(file, word)) }
        let made = try Workbench.make("w=32\(meta)&format=\(format)", of: file, as: .jpeg)
        for word in Self.words { #expect(!contains(made.bytes, word), "\(word)") }
        let packet = try Workbench.metadata(made).bytes(VIPS_META_XMP_NAME)
        #expect((packet != nil) == (meta == "&meta=keep"))
    }

    @Test func `a clean original contains only the primary image, bit for bit`() throws {
        let cleaned = try Workbench.clean(file, as: .jpeg).bytes
        #expect(try cleaned == Workbench.clean(primary, as: .jpeg).bytes)
        for word in Self.words { #expect(!contains(cleaned, word), "\(word)") }
    }

    @Test func `the rest of the XMP packet is unchanged`() throws {
        let kept = try #require(XMPPacket(bytes: Array(Self.packet.utf8)).ofResult)
        let text = String(decoding: kept, as: UTF8.self)
        #expect(text.contains("<dc:title>A bus</dc:title>") && text.contains("dc:source=\"camera > roll\""))
        #expect(text.hasPrefix("<?xpacket begin=") && text.hasSuffix("<?xpacket end=\"w\"?>"))
        #expect(text.contains("xmlns:dc=") && !text.contains("xmlns:hdrgm") && !text.contains("rdf:Seq"))
        // Nothing is left to remove, and nothing else changed.
        #expect(XMPPacket(bytes: kept).ofResult == kept)
    }

    @Test(
        arguments: [
            ("<a b='1'/>", "<a b='1'/>"), ("no markup", "no markup"), ("", ""), ("<a <b", "<a <b"),
            ("<r xmlns:g='G'><g:x><g:y/>t</g:x>u</r>", "<r>u</r>"),
            ("<r xmlns:g='G' g:a='<' c = \"d\"/>", "<r c = \"d\"/>"),
            ("<r xmlns:g='G'><g:x></r>", nil), ("<r xmlns:g='G'></g:x></r>", nil), ("<r xmlns:g='G'><g:x", nil),
            ("<r xmlns:g='G'><!-- <g:x> --><g:x/></r>", "<r><!-- <g:x> --></r>"),
        ] as [(String, String?)]
    )
    func `references are removed with everything inside them`(text: String, expected: String?) {
        let packet = text.replacing("'G'", with: "'http://ns.adobe.com/hdr-gain-map/1.0/'")
        let kept = XMPPacket(bytes: Array(packet.utf8)).ofResult
        #expect(kept.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(
        arguments: [
            ("<r xmlns:t='T' t:Orientation='6' t:Make='M'/>", "<r xmlns:t='T' t:Make='M'/>"),
            (
                "<r xmlns:t='T'><t:Orientation>6</t:Orientation><t:Make>M</t:Make></r>",
                "<r xmlns:t='T'><t:Make>M</t:Make></r>"
            ),
            ("<r xmlns:t='T' xmlns:u='U' u:Orientation='6'/>", "<r xmlns:t='T' xmlns:u='U' u:Orientation='6'/>"),
        ]
    )
    func `an orientation is removed, since results are upright`(text: String, expected: String) {
        func packet(_ text: String) -> String { text.replacing("'T'", with: "'http://ns.adobe.com/tiff/1.0/'") }
        let kept = XMPPacket(bytes: Array(packet(text).utf8)).ofResult
        #expect(kept.map { String(decoding: $0, as: UTF8.self) } == packet(expected))
    }

    @Test func `damaged packets do no harm`() {
        var generator = SeededGenerator(seed: 8)
        let packet = Array(Self.packet.utf8)
        for _ in 0..<500 {
            var bytes = packet
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    "<>/\"'=: a".utf8.randomElement(using: &generator) ?? 0
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            let kept = XMPPacket(bytes: bytes).ofResult
            #expect((kept?.count ?? 0) <= bytes.count)
        }
    }
}
