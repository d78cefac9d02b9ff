import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PercentEncodingTests {
    @Test(arguments: [("", ""), ("a%20b", "a b"), ("%2f%2F", "//"), ("%2541", "%41"), ("%C3%A4", "ä")])
    func `decodes escapes once`(text: String, plain: String) {
        #expect(PercentEncoding.decodeStrictly(text.utf8) == Array(plain.utf8))
        #expect(PercentEncoding.decode(text.utf8) == Array(plain.utf8))
    }

    @Test(arguments: ["%", "a%2", "%zz", "%2g", "%+1", "%%41"])
    func `a percent sign without two digits is kept, or refused`(text: String) {
        #expect(PercentEncoding.decodeStrictly(text.utf8) == nil)
        #expect(PercentEncoding.decode(text.utf8).first == UInt8(ascii: "%") || text.hasPrefix("a"))
    }

    @Test func `hexadecimal digits are written in lower case and read in both`() {
        #expect([UInt8](hexadecimal: "00fFA1") == [0, 255, 0xA1] && ([0, 255, 0xA1] as [UInt8]).hexText == "00ffa1")
        #expect([UInt8](hexadecimal: "")?.isEmpty == true)
        for text in ["0", "0g", "+1", " 1", "0x", "1١"] { #expect([UInt8](hexadecimal: text) == nil, "\(text)") }
    }
}
