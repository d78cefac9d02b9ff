import TestSupport

/// Writes BMP and ICO files of every supported kind from known pixels.
struct BitmapFile {
    /// The encoding of pixels.
    enum Kind: CaseIterable {
        case indexed1, indexed2, indexed4, indexed8, runs4, runs8, rgb555, rgb565, rgb24, rgb32, argb32
    }

    var kind: Kind
    var width: Int
    var height: Int
    var isTopDown = false
    /// The size of the bitmap header in bytes: 12, 40, 108 or 124.
    var headSize = 40
    /// Random indices or channels.
    var generator: SeededGenerator

    private(set) var expected = PixelImage(width: 1, height: 1, channels: 3, bytes: [0, 0, 0])

    init(kind: Kind, width: Int, height: Int, isTopDown: Bool = false, headSize: Int = 40, seed: UInt64) {
        self.kind = kind
        self.width = width
        self.height = height
        self.isTopDown = isTopDown
        self.headSize = headSize
        generator = SeededGenerator(seed: seed)
    }

    var bits: Int {
        switch kind {
        case .indexed1: 1
        case .indexed2: 2
        case .indexed4, .runs4: 4
        case .indexed8, .runs8: 8
        case .rgb555, .rgb565: 16
        case .rgb24: 24
        case .rgb32, .argb32: 32
        }
    }

    private var compression: Int {
        switch kind {
        case .runs8: 1
        case .runs4: 2
        case .rgb565, .argb32: 3
        default: 0
        }
    }

    /// A whole file; `expected` has its pixels.
    mutating func file() -> [UInt8] {
        let body = bitmap()
        let start = 14 + body.pixels
        return Array("BM".utf8) + Self.word(14 + body.bytes.count) + Self.word(0) + Self.word(start) + body.bytes
    }

    /// Header, palette and pixels, and the offset of the pixels.
    mutating func bitmap(headHeight: Int? = nil) -> (bytes: [UInt8], pixels: Int) {
        let signed = (headHeight ?? height) * (isTopDown ? -1 : 1)
        var head: [UInt8]
        if headSize == 12 {
            head = Self.word(12) + Self.half(width) + Self.half(signed) + Self.half(1) + Self.half(bits)
        } else {
            head = Self.word(headSize) + Self.word(width) + Self.word(signed) + Self.half(1) + Self.half(bits)
            head +=
                Self.word(compression) + Self.word(0) + Self.word(2835) + Self.word(2835) + Self.word(0) + Self.word(0)
            let masks: [Int] =
                switch kind {
                case .rgb565: [0xF800, 0x07E0, 0x001F]
                case .argb32: [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]
                default: []
                }
            if headSize == 40 {
                head += masks.prefix(3).flatMap(Self.word)
            } else {
                head += masks.flatMap(Self.word)
                head += [UInt8](repeating: 0, count: headSize - head.count)
            }
        }
        var palette: [[UInt8]] = []
        if bits <= 8 {
            palette = (0..<1 << bits).map { _ in (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) } }
            for colour in palette { head += [colour[2], colour[1], colour[0]] + (headSize == 12 ? [] : [0]) }
        }
        return (head + pixels(palette), head.count)
    }

    private mutating func pixels(_ palette: [[UInt8]]) -> [UInt8] {
        var shown: [[[UInt8]]] = []
        var rows: [[UInt8]] = []
        for _ in 0..<height {
            let row = row(palette)
            shown.append(row.shown)
            rows.append(row.stored)
        }
        let hasAlpha = kind == .argb32 && headSize > 40
        expected = PixelImage(width: width, height: height, channels: hasAlpha ? 4 : 3) { x, y in shown[y][x] }
        if kind == .runs4 || kind == .runs8 { return rows.reversed().flatMap { $0 } + [0, 1] }
        return (isTopDown ? rows : rows.reversed()).flatMap { $0 }
    }

    private mutating func row(_ palette: [[UInt8]]) -> (shown: [[UInt8]], stored: [UInt8]) {
        switch kind {
        case .indexed1, .indexed2, .indexed4, .indexed8, .runs4, .runs8:
            var indices = (0..<width).map { _ in Int.random(in: 0..<palette.count, using: &generator) }
            if kind == .runs4 || kind == .runs8 {
                // Repeated values, for run-length coding.
                for x in indices.indices.dropFirst() where Int.random(in: 0...3, using: &generator) > 0 {
                    indices[x] = indices[x - 1]
                }
                return (indices.map { palette[$0] }, kind == .runs8 ? runs(indices) : nibbleRuns(indices))
            }
            var stored: [UInt8] = []
            for group in stride(from: 0, to: width, by: 8 / bits) {
                var byte = 0
                for place in 0..<8 / bits { byte = byte << bits | (group + place < width ? indices[group + place] : 0) }
                stored.append(UInt8(byte))
            }
            return (indices.map { palette[$0] }, Self.padded(stored))
        case .rgb555, .rgb565:
            let green = kind == .rgb565 ? 6 : 5
            var shown: [[UInt8]] = []
            var stored: [UInt8] = []
            for _ in 0..<width {
                let values = [
                    Int.random(in: 0...31, using: &generator), Int.random(in: 0...1 << green - 1, using: &generator),
                    Int.random(in: 0...31, using: &generator),
                ]
                stored += Self.half(values[0] << (5 + green) | values[1] << 5 | values[2])
                let greatest = 1 << green - 1
                shown.append([
                    UInt8((values[0] * 255 + 15) / 31), UInt8((values[1] * 255 + greatest / 2) / greatest),
                    UInt8((values[2] * 255 + 15) / 31),
                ])
            }
            return (shown, Self.padded(stored))
        case .rgb24, .rgb32, .argb32:
            var shown: [[UInt8]] = []
            var stored: [UInt8] = []
            for _ in 0..<width {
                let colour = (0..<4).map { _ in UInt8.random(in: 1...255, using: &generator) }
                stored += [colour[2], colour[1], colour[0]] + (kind == .rgb24 ? [] : [colour[3]])
                shown.append(kind == .argb32 && headSize > 40 ? colour : Array(colour.prefix(3)))
            }
            return (shown, Self.padded(stored))
        }
    }

    private func runs(_ indices: [Int]) -> [UInt8] {
        var stored: [UInt8] = []
        var x = 0
        while x < indices.count {
            var end = x
            while end < indices.count, indices[end] == indices[x], end - x < 255 { end += 1 }
            if end - x > 1 || indices.count - x < 3 {
                stored += [UInt8(end - x), UInt8(indices[x])]
                x = end
            } else {
                // Three literal bytes and a padding byte.
                stored += [0, 3] + indices[x..<x + 3].map { UInt8($0) } + [0]
                x += 3
            }
        }
        return stored + [0, 0]
    }

    private func nibbleRuns(_ indices: [Int]) -> [UInt8] {
        var stored: [UInt8] = []
        for x in stride(from: 0, to: indices.count, by: 2) {
            let pair = indices[x] << 4 | (x + 1 < indices.count ? indices[x + 1] : 0)
            stored += [UInt8(min(2, indices.count - x)), UInt8(pair)]
        }
        return stored + [0, 0]
    }

    /// An icon of these entries: bitmaps with masks, or whole PNG files.
    static func icon(_ entries: [(width: Int, height: Int, bits: Int, bytes: [UInt8])]) -> [UInt8] {
        var file: [UInt8] = [0, 0, 1, 0] + half(entries.count)
        var offset = 6 + 16 * entries.count
        for entry in entries {
            file += [UInt8(entry.width & 255), UInt8(entry.height & 255), 0, 0] + half(1) + half(entry.bits)
            file += word(entry.bytes.count) + word(offset)
            offset += entry.bytes.count
        }
        return file + entries.flatMap(\.bytes)
    }

    private static func padded(_ row: [UInt8]) -> [UInt8] {
        row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4)
    }

    static func half(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    static func word(_ value: Int) -> [UInt8] { half(value) + half(value >> 16) }
}
