import ImagePlan
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BareWebPTests {
    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [UInt8(body.count), 0, 0, 0] + body + (body.count.isMultiple(of: 2) ? [] : [0])
    }

    private func file(_ chunks: [UInt8]...) -> [UInt8] {
        let body = Array(chunks.joined())
        return Array("RIFF".utf8) + [UInt8(body.count + 4), 0, 0, 0] + Array("WEBP".utf8) + body
    }

    private func canvas(flags: UInt8) -> [UInt8] { chunk("VP8X", [flags, 0, 0, 0, 3, 0, 0, 3, 0, 0]) }

    @Test func `keeps colour, and alpha with its canvas`() {
        let colour = chunk("VP8 ", [1, 2, 3])
        let alpha = chunk("ALPH", [9])
        let exif = chunk("EXIF", [7, 7])
        #expect(BareWebP.strip(file(canvas(flags: 0x08), colour, exif)) == file(colour))
        #expect(
            BareWebP.strip(file(canvas(flags: 0x38), chunk("ICCP", [5]), alpha, colour, exif))
                == file(canvas(flags: 0x10), alpha, colour)
        )
        #expect(BareWebP.strip(file(colour)) == file(colour))
    }

    @Test func `rejects a truncated file and one without colour`() {
        let whole = file(canvas(flags: 0x10), chunk("ALPH", [9]), chunk("VP8 ", [1, 2, 3]))
        for length in 0..<whole.count - 8 { #expect(BareWebP.strip(Array(whole[..<length])) == nil, "\(length)") }
        #expect(BareWebP.strip(file(chunk("EXIF", [1]))) == nil)
        #expect(BareWebP.strip(file(chunk("ALPH", [1]), chunk("VP8 ", [1]))) == nil)
    }
}
