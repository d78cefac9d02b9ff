import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GzipExpansionTests {
    private static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }

    private func expand(_ coded: [UInt8], atMost limit: Int) -> GzipExpansion {
        GzipExpansion(of: coded.span, atMost: limit)
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `decompresses data at the limit and below it`(count: Int) {
        for bytes in [Self.noise(count), [UInt8](repeating: 7, count: count)] {
            let coded = Gzip.encode(bytes)
            for limit in [count, count + 1, 1 << 20] {
                let expansion = expand(coded, atMost: limit)
                #expect(expansion.end == .complete)
                #expect(expansion.bytes == bytes)
            }
        }
    }

    @Test func `reports one byte over the limit, and a bomb, as full`() {
        let bytes = Self.noise(70_000)
        let over = expand(Gzip.encode(bytes), atMost: bytes.count - 1)
        #expect(over.end == .full && over.bytes == Array(bytes.dropLast()))
        let bomb = Gzip.encode([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 70_000)
        let stopped = expand(bomb, atMost: 1000)
        #expect(stopped.end == .full && stopped.bytes.count == 1000)
    }

    @Test func `the limit applies to all members together`() {
        let coded = Gzip.encode([1, 2, 3]) + Gzip.encode([]) + Gzip.encode([4])
        #expect(expand(coded, atMost: 4).bytes == [1, 2, 3, 4])
        #expect(expand(coded, atMost: 4).end == .complete)
        #expect(expand(coded, atMost: 3).end == .full)
        #expect(expand(coded + [0], atMost: 100).end != .complete)
        #expect(expand(coded + Self.noise(30), atMost: 100).end == .damaged)
    }

    @Test func `reports every truncation, and returns the beginning`() {
        let bytes = Self.noise(300)
        let coded = Gzip.encode(bytes)
        for count in 0..<coded.count {
            let expansion = expand(Array(coded.prefix(count)), atMost: 1000)
            #expect(expansion.end == .cut, "\(count)")
            #expect(bytes.starts(with: expansion.bytes))
        }
    }

    @Test func `damaged data is never complete with other bytes`() {
        let bytes = Array(repeating: Array("<svg width='10'/>".utf8), count: 40).flatMap { $0 }
        let coded = Gzip.encode(bytes)
        for index in coded.indices {
            for bit in 0..<8 {
                var damaged = coded
                damaged[index] ^= 1 << UInt8(bit)
                let expansion = expand(damaged, atMost: 4096)
                // The header's flags, time and system do not affect the content.
                #expect(expansion.end != .complete || expansion.bytes == bytes, "\(index)")
                #expect(expansion.bytes.count <= 4096)
            }
        }
        #expect(expand([], atMost: 10).end == .cut)
        #expect(expand(Self.noise(1000), atMost: 10).end == .damaged)
    }
}
