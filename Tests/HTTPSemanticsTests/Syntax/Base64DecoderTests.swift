import HTTPSemantics
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct Base64DecoderTests {
    private func decode(_ text: String, _ alphabet: Base64Decoder.Alphabet = .any, skipsBlanks: Bool = false) -> String?
    {
        Base64Decoder.decode(text.utf8, alphabet, skipsBlanks: skipsBlanks).map { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"), ("Zg", "f"), ("Zm8", "fo"),
    ])
    func `decodes with and without padding`(text: String, plain: String) {
        #expect(decode(text) == plain)
    }

    @Test(arguments: ["Z", "Zg=", "Zg===", "=", "Zm9v=", "Zg==Zg==", "Z=g=", "Zm9v!", "Zh==", "Zm9", "Zm 8="])
    func `refuses what no encoder writes`(text: String) {
        #expect(decode(text) == nil)
    }

    @Test func `distinguishes the alphabets`() {
        #expect(Base64Decoder.decode("-_-_".utf8, .url) == [0xFB, 0xFF, 0xBF])
        #expect(Base64Decoder.decode("+/+/".utf8, .standard) == [0xFB, 0xFF, 0xBF])
        #expect(decode("+/+/", .url) == nil && decode("-_-_", .standard) == nil)
        #expect(decode("-/+_") != nil)
    }

    @Test func `skips blanks and line ends if told to`() {
        #expect(decode(" Zm9v\r\nYm Fy\t", skipsBlanks: true) == "foobar")
        #expect(decode("Zg = =\n", skipsBlanks: true) == "f")
    }

    @Test func `decodes random bytes of every length up to 99`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
            while bits.count % 6 != 0 { bits.append(0) }
            let text = stride(from: 0, to: bits.count, by: 6).map { start in
                alphabet[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })]
            }
            #expect(Base64Decoder.decode(text) == bytes)
        }
    }
}
