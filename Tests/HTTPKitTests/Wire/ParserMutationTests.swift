import HTTPKit
import Testing

/// Randomly broken requests from a fixed seed: the result must not depend on how they are split.
@Suite(.timeLimit(.minutes(1))) struct ParserMutationTests {
    /// SplitMix64.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    private static let pieces: [[UInt8]] = ["\r\n", "\n", " ", ":", "\r", "\0", "Host: b\r\n", "Content-Length: 1\r\n"]
        .map {
            Array($0.utf8)
        }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `parses mutated requests the same however they are split`(_ seed: UInt64) {
        var random = Generator(state: seed)
        let limits = ServerLimits(requestLine: 40, headerBlock: 120, fieldCount: 4)
        for _ in 0..<500 {
            var bytes = Array((RequestParserTests.accepted.randomElement(using: &random)?.0 ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1 where bytes.count > 2: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
                default: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
                }
            }
            let whole = ParseAnswer(bytes, limits: limits)
            let stops = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            #expect(ParseAnswer(bytes, stops: stops, limits: limits) == whole)
            #expect(ParseAnswer(bytes, stops: Array(0..<bytes.count), limits: limits) == whole)
        }
    }
}
