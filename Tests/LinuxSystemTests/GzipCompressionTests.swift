import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GzipCompressionTests {
    @Test(arguments: [0, 1, 255, 65_536, 300_000])
    func `compressed data expands to the same bytes`(count: Int) throws {
        var generator = SeededGenerator(seed: 7)
        for bytes in [
            [UInt8](repeating: 7, count: count), (0..<count).map { _ in .random(in: 0...255, using: &generator) },
        ] {
            let result = GzipCompression.compress(bytes.span)
            let coded = try #require(result)
            let expansion = GzipExpansion(of: coded.span, atMost: count)
            #expect(expansion.end == .complete && expansion.bytes == bytes)
        }
    }

    @Test func `equal data gives equal bytes, and text becomes smaller`() throws {
        let text = Array(String(repeating: "<rect width='9' height='9'/>", count: 100).utf8)
        let (result, again) = (GzipCompression.compress(text.span), GzipCompression.compress(text.span))
        let coded = try #require(result)
        #expect(coded == again)
        #expect(coded.count < text.count / 10)
    }
}
