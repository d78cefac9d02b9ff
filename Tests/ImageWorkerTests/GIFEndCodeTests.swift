import ImagePlan
import TestSupport
import Testing

@testable import ImageWorker

/// GIFs whose frames lack the end code.
@Suite(.timeLimit(.minutes(1)))
struct GIFEndCodeTests {
    private static let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]

    /// Codes of pixels 0–3 as an encoder writes them, with its table growing.
    private static func codes(_ pixels: [Int], endCode: Bool) -> [UInt8] {
        var (bits, size, next) = ([4].flatMap { bit($0, 3) }, 3, 6)
        var table = Dictionary(uniqueKeysWithValues: (0..<4).map { ([$0], $0) })
        var current: [Int] = []
        for pixel in pixels {
            guard table[current + [pixel]] == nil else {
                current.append(pixel)
                continue
            }
            bits += bit(table[current] ?? 0, size)
            table[current + [pixel]] = next
            if next == 1 << size, size < 12 { size += 1 }
            next += 1
            current = [pixel]
        }
        bits += bit(table[current] ?? 0, size)
        if next == 1 << size, size < 12 { size += 1 }
        if endCode { bits += bit(5, size) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(bits.count, start + 8)].enumerated().reduce(0) { $0 | $1.element << UInt8($1.offset) }
        }
    }

    private static func bit(_ code: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(code >> $0 & 1) } }

    /// A GIF of frames of the whole canvas.
    private static func gif(width: Int, height: Int, frames: [[Int]], endCode: Bool, block: Int = 255) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
        var file = Array("GIF89a".utf8) + little(width) + little(height) + [0x91, 0, 0] + palette.flatMap(\.self)
        for pixels in frames {
            file += [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0] + little(width) + little(height) + [0, 2]
            let codes = codes(pixels, endCode: endCode)
            for start in stride(from: 0, to: codes.count, by: block) {
                let part = codes[start..<min(codes.count, start + block)]
                file += [UInt8(part.count)] + part
            }
            file.append(0)
        }
        return file + [0x3B]
    }

    private static func noise(_ count: Int, seed: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Int.random(in: 0...3, using: &generator) }
    }

    @Test(arguments: 1...40)
    func `the last pixel is decoded without an end code`(width: Int) throws {
        for height in [1, 3] {
            let frames = [Self.noise(width * height, seed: UInt64(width)), Self.noise(width * height, seed: 99)]
            let source = Self.gif(width: width, height: height, frames: frames, endCode: false, block: 7)
            let pixels = try Workbench.decode(source, as: .gif)
            let expected = frames.flatMap(\.self).map { Self.palette[$0] }
            let found = (0..<2 * height).flatMap { y in (0..<width).map { Array(pixels[$0, y].prefix(3)) } }
            #expect(found == expected, "\(width)×\(height)")
        }
    }

    @Test func `a long frame with codes of all widths is completed`() throws {
        let pixels = Self.noise(300 * 200, seed: 7)
        let source = Self.gif(width: 300, height: 200, frames: [pixels], endCode: true)
        let isWhole = GIFEndCodes.added(to: source.span) == nil
        #expect(isWhole)
        let without = Self.gif(width: 300, height: 200, frames: [pixels], endCode: false)
        #expect(without.count < source.count || without != source)
        #expect(try Workbench.decode(without, as: .gif).bytes == Workbench.decode(source, as: .gif).bytes)
    }

    @Test func `a complete file is unchanged`() {
        for width in 1...40 {
            let source = Self.gif(width: width, height: 2, frames: [Self.noise(width * 2, seed: 3)], endCode: true)
            let added = GIFEndCodes.added(to: source.span)
            #expect(added == nil, "\(width)")
        }
        let deadly = TestImages.deadlyGIF(width: 60_000, height: 60_000)
        let added = GIFEndCodes.added(to: deadly.span)
        #expect(added == nil)
    }

    @Test func `a truncated frame is unchanged`() throws {
        let whole = Self.noise(64, seed: 5)
        let source = Self.gif(width: 8, height: 8, frames: [Array(whole.prefix(40))], endCode: false)
        let pixels = try Workbench.decode(source, as: .gif)
        for index in 0..<40 { #expect(Array(pixels[index % 8, index / 8].prefix(3)) == Self.palette[whole[index]]) }
    }

    @Test func `damaged files are never read out of bounds`() {
        let source = Self.gif(width: 9, height: 9, frames: [Self.noise(81, seed: 1)], endCode: false, block: 5)
        for count in 0..<source.count { _ = GIFEndCodes.added(to: Array(source.prefix(count)).span) }
        for index in source.indices {
            for value: UInt8 in [0, 1, 0x2C, 0x80, 0xFF] {
                var bytes = source
                bytes[index] = value
                _ = GIFEndCodes.added(to: bytes.span)
            }
        }
    }

    @Test func `the original's bytes are returned unchanged`() throws {
        let source = Self.gif(width: 6, height: 1, frames: [Self.noise(6, seed: 2)], endCode: false)
        let bytes = try Workbench.withDecoder(of: source, as: .gif) { decoder in
            try decoder.original.read(keepsMetadata: true).bytes
        }
        #expect(bytes == source)
    }
}
