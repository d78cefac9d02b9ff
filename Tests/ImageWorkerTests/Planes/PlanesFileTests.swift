import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// The format of mezzanines.
@Suite(.timeLimit(.minutes(1)))
struct PlanesFileTests {
    private func encode(_ picture: PixelImage) throws -> [UInt8] {
        let encoder = PlanesEncoder(
            size: PixelSize(width: picture.width, height: picture.height),
            deadline: Deadline(milliseconds: 20_000)
        )
        return try unsafe picture.bytes.withUnsafeBytes { try unsafe encoder.encode($0, bands: picture.channels) }
    }

    /// Decodes a file; `nil` for a damaged one.
    private func decode(_ file: [UInt8]) -> PixelImage? {
        guard let decoder = PlanesDecoder(file.span) else { return nil }
        var bytes: [UInt8] = []
        let isComplete = decoder.decode(file.span) { row in
            for index in row.indices { bytes.append(row[index]) }
        }
        guard isComplete else { return nil }
        let (size, layout) = (decoder.file.size, decoder.file.layout)
        return PixelImage(width: size.width, height: size.height, channels: layout.bands, bytes: bytes)
    }

    private static let sizes = [(1, 1), (2, 3), (7, 9), (8, 8), (16, 16), (17, 15), (31, 33), (100, 61)]

    @Test(arguments: sizes)
    func `an image with alpha comes back without a change`(width: Int, height: Int) throws {
        for largest in [0, 1, 3, 12, 100, 255] as [UInt8] {
            var random = SeededGenerator(seed: UInt64(largest))
            let picture = PixelImage(width: width, height: height) { _, _ in
                (0..<4).map { _ in UInt8.random(in: 0...largest, using: &random) }
            }
            #expect(try decode(encode(picture)) == picture, "noise up to \(largest)")
        }
    }

    @Test(arguments: sizes)
    func `grey comes back without a change, colours of four pixels without a visible one`(width: Int, height: Int)
        throws
    {
        var random = SeededGenerator(seed: 7)
        let grey = PixelImage(width: width, height: height, channels: 3) { _, _ in
            [UInt8](repeating: .random(in: 0...255, using: &random), count: 3)
        }
        #expect(try decode(encode(grey)) == grey)
        // The same colour in each square of two pixels.
        let colours = (0..<(width + 2) * (height + 2)).map { _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        let squares = PixelImage(width: width, height: height, channels: 3) { x, y in colours[y / 2 * width + x / 2] }
        let made = try #require(try decode(encode(squares)))
        #expect(zip(made.bytes, squares.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        for colour in [[255, 255, 255], [0, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255], [128, 128, 128]] as [[UInt8]]
        {
            let plain = PixelImage(width: width, height: height, channels: 3) { _, _ in colour }
            let made = try #require(try decode(encode(plain)))
            #expect(zip(made.bytes, plain.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(colour)")
        }
    }

    @Test func `a plain image takes half a byte per block, and no image more than its samples and that`() throws {
        let plain = PixelImage(width: 160, height: 160, channels: 3) { _, _ in [128, 128, 128] }
        #expect(try encode(plain).count == PlanesFile.headerSize + 20 * 20 * 6 / 4 / 2)
        var random = SeededGenerator(seed: 3)
        let noise = PixelImage(width: 160, height: 160, channels: 3) { _, _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        #expect(try encode(noise).count <= PlanesFile.headerSize + 160 * 160 * 3 / 2 + 300)
    }

    @Test func `a file that ends early, or goes on after its end, is damaged`() throws {
        for channels in [3, 4] {
            let picture = PixelImage(width: 37, height: 29, channels: channels) { x, y in
                (0..<channels).map { UInt8(truncatingIfNeeded: x * x * ($0 + 1) + y * 7) }
            }
            let file = try encode(picture)
            for count in 0..<file.count { #expect(decode(Array(file[..<count])) == nil, "\(count) bytes") }
            #expect(decode(file + [0]) == nil)
            #expect(decode(file) != nil)
        }
    }

    @Test func `damaged bytes give other pixels, or nothing`() throws {
        let picture = PixelImage(width: 19, height: 18, channels: 3) { x, y in
            [UInt8(x * 3), UInt8(y * 5), UInt8(x + y)]
        }
        let file = try encode(picture)
        for index in file.indices {
            for bit in [index % 8, (index + 3) % 8] {
                var damaged = file
                damaged[index] ^= 1 << bit
                guard let made = decode(damaged) else { continue }
                #expect(made.bytes.count == made.width * made.height * made.channels)
            }
        }
    }

    @Test func `a header that claims more blocks than there are bytes is refused`() {
        for (width, height) in [(65_535, 65_535), (65_536, 1), (0, 5), (5, 0), (400, 400)] {
            let header = PlanesFile(size: PixelSize(width: width, height: height), layout: .colour).header
            #expect(PlanesFile((header + [UInt8](repeating: 0, count: 64)).span) == nil, "\(width) × \(height)")
        }
        let header = PlanesFile(size: PixelSize(width: 8, height: 8), layout: .colour).header
        #expect(PlanesFile((header + [0, 0, 0, 0]).span) != nil)
        // A profile that takes the place of the blocks, and one that is too long.
        for length in [1, 65_537, 1 << 31] {
            var other = header
            for byte in 0..<4 { other[13 + byte] = UInt8(length >> (8 * byte) & 0xFF) }
            #expect(PlanesFile((other + [0, 0, 0, 0]).span) == nil)
        }
        for index in [0, 3, 12] {
            var other = header + [0, 0, 0, 0]
            other[index] = 5
            #expect(PlanesFile(other.span) == nil)
        }
    }
}
