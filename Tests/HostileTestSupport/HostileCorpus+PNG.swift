import TestSupport

extension HostileCorpus {
    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A PNG chunk with its checksum.
    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return big(content.count, 4) + checked + big(Zlib.crc32(checked), 4)
    }

    static func pngHeader(_ size: (width: Int, height: Int), depth: UInt8 = 8, colour: UInt8 = 6, interlace: UInt8 = 0)
        -> [UInt8]
    {
        pngSignature + chunk("IHDR", big(size.width, 4) + big(size.height, 4) + [depth, colour, 0, 0, interlace])
    }

    /// Compressed pixels of less or more than the stated size.
    static func pngPixels(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let types: [(depth: UInt8, colour: UInt8, bits: Int)] = [
            (1, 0, 1), (8, 2, 24), (16, 6, 64), (8, 3, 8), (16, 0, 16), (8, 4, 16), (4, 3, 4), (16, 2, 48), (3, 5, 24),
            (8, 6, 32),
        ]
        let type = types[number % types.count]
        // One in six may be decoded in full; most of the others exceed a limit.
        let size = number % 6 == 0 ? (width: 4000 + number * 40, height: 6000) : extent(&random)
        let line = (size.width.multipliedReportingOverflow(by: type.bits).partialValue &+ 7) / 8 &+ 1
        let all = max(0, line.multipliedReportingOverflow(by: size.height).partialValue)
        let count = [all, all / 2, all &* 2, 64 << 20][number % 4]
        var file = pngHeader(size, depth: type.depth, colour: type.colour, interlace: number % 3 == 0 ? 1 : 0)
        if type.colour == 3 { file += chunk("PLTE", noise(number % 2 == 0 ? 768 : 7, &random)) }
        if number % 5 == 0 { file += chunk("tRNS", noise(Int.random(in: 0...300, using: &random), &random)) }
        let data = Zlib.bomb(UInt8(number % 6), count: min(max(0, count), number % 6 == 0 ? 64 << 20 : 4 << 20))
        // In one chunk, or in hundreds.
        if number % 7 == 0 {
            for start in stride(from: 0, to: data.count, by: 100) {
                file += chunk("IDAT", Array(data[start..<min(data.count, start + 100)]))
            }
        } else {
            file += chunk("IDAT", data)
        }
        return file + (number % 9 == 0 ? [] : chunk("IEND", []))
    }

    /// Metadata that expands.
    func pngText(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let size = [1, 8, 16, 40][number % 4] << 20
        let keyword =
            Array(["Comment", "XML:com.adobe.xmp", "", String(repeating: "k", count: 200)][number / 4 % 4].utf8) + [0]
        let bomb = Zlib.bomb(65, count: size)
        var chunks: [UInt8]
        switch number % 6 {
        case 0: chunks = Self.chunk("zTXt", keyword + [0] + bomb)
        case 1: chunks = Self.chunk("iTXt", keyword + [1, 0, 0, 0] + bomb)
        case 2: chunks = Self.chunk("iCCP", keyword + [0] + bomb)
        case 3:
            chunks = []
            for index in 0..<3000 { chunks += Self.chunk("tEXt", Array("k\(index)".utf8) + [0, 65]) }
        case 4: chunks = Self.chunk("zTXt", keyword + [0] + Self.damaged(bomb, number, &random))
        default:
            chunks = Self.chunk(
                ["sPLT", "hIST", "eXIf", "cHRM", "gAMA", "pCAL"][number / 6 % 6],
                Self.noise(300, &random)
            )
            chunks += Self.big(0x7FFF_FFFF, 4) + Array("zTXt".utf8)
        }
        guard seeds.png.count > 33 else { return Self.pngSignature + chunks }
        return Array(seeds.png[..<33]) + chunks + Array(seeds.png[33...])
    }

    /// Frame controls of an animated PNG, and what follows them.
    static func pngFrames(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let count = number % 20 == 4 ? 100_000 : [3, 20, 100, 1000, 5000][number % 5]
        let side = [1, 16, 500, 2000][number / 5 % 4]
        let claimed = [count, 1, 0, 0x7FFF_FFFF][number / 3 % 4]
        var file = pngHeader((side, side)) + chunk("acTL", big(claimed, 4) + big(0, 4))
        let pixels = Zlib.bomb(0, count: side * (side * 4 + 1))
        let small = Zlib.bomb(0, count: 5)
        for index in 0..<count {
            let sequence = number % 7 == 0 ? Int.random(in: 0...count, using: &random) : index == 0 ? 0 : index * 2 - 1
            let left = number % 4 == 1 ? Int.random(in: 0...0x7FFF_FFFF, using: &random) : 0
            let width = index == 0 ? side : number % 4 == 2 ? 0x7FFF_FFFF : 1
            let place = big(width, 4) + big(index == 0 ? side : 1, 4) + big(left, 4) + big(0, 4)
            file += chunk(
                "fcTL",
                big(sequence, 4) + place + [0, 0, 0, UInt8(number % 3), UInt8(index % 4), UInt8(index % 3)]
            )
            if index == 0 {
                file += chunk("IDAT", pixels)
            } else if number % 3 != 0 {
                file += chunk("fdAT", big(sequence + 1, 4) + (number % 8 == 1 ? noise(20, &random) : small))
            }
        }
        return file + chunk("IEND", [])
    }
}
