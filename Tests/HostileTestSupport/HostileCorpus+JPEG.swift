import TestSupport

extension HostileCorpus {
    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(content.count + 2, 2) + content
    }

    /// Structures of JPEG that are valid, or nearly so, and expensive.
    func jpegStructure(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch number % 6 {
        case 0: return Self.scans(number, &random)
        case 1:
            // The frame header states another size.
            let size = Self.extent(&random)
            let bytes = Self.big(size.height & 0xFFFF, 2) + Self.big(size.width & 0xFFFF, 2)
            return Self.rewritingFrame(seeds.jpeg, at: 5, bytes)
        case 2:
            // Other precisions, numbers of components, and sampling factors.
            let values: [[UInt8]] = [
                [12], [16], [8, 0, 0, 0, 0, 4], [8, 0, 40, 0, 40, 1], [8, 0, 40, 0, 40, 3, 1, 0x44, 0, 2, 0x13],
            ]
            return Self.rewritingFrame(seeds.jpeg, at: 4, values[number / 6 % values.count])
        case 3:
            // Lossless, hierarchical and arithmetic frames.
            let markers: [UInt8] = [0xC1, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCF]
            return Self.rewritingFrame(seeds.jpeg, at: 1, [markers[number / 6 % markers.count]])
        case 4:
            var segments: [UInt8] = []
            let marker: UInt8 = [0xE1, 0xE2, 0xEE, 0xFE, 0xDB, 0xC4, 0xDD][number / 6 % 7]
            let content = Self.noise(number % 4 == 0 ? 1000 : 20, &random)
            for _ in 0..<2000 { segments += Self.segment(marker, content) }
            return Array(seeds.jpeg.prefix(2)) + segments + Array(seeds.jpeg.dropFirst(2))
        default:
            let adobe = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, UInt8(number % 4)]
            let restart = Self.segment(0xDD, Self.big([0, 1, 65_535][number % 3], 2))
            return Array(seeds.jpeg.prefix(2)) + Self.segment(0xEE, adobe) + restart + Array(seeds.jpeg.dropFirst(2))
        }
    }

    /// Changes bytes of the first frame header, from an offset after its first 0xFF on.
    private static func rewritingFrame(_ file: [UInt8], at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        var copy = file
        for index in 0..<max(0, file.count - offset - bytes.count) where file[index] == 0xFF {
            guard (0xC0...0xC2).contains(file[index + 1]) else { continue }
            copy.replaceSubrange(index + offset..<index + offset + bytes.count, with: bytes)
            return copy
        }
        return copy
    }

    /// A progressive JPEG with thousands of scans, each of which visits every block.
    private static func scans(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let side = [64, 1000, 3000, 6000, 65_500][number / 6 % 5]
        var file: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(0xC2, [8] + big(side, 2) + big(side, 2) + [1, 1, 0x11, 0])
        // One code of one bit, for a difference of 0 and for an end of block.
        for table: UInt8 in [0x00, 0x10] { file += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
        let scan = segment(0xDA, [1, 1, 0, 0, 0, 0x00]) + [UInt8](repeating: 0, count: 30)
        let refinement =
            segment(0xDA, [1, 1, 0, 1, 63, number % 2 == 0 ? 0x00 : 0x10]) + noise(20, &random).map { $0 & 0x7F }
        file += scan
        for _ in 0..<[10, 1000, 20_000][number / 6 % 3] { file += refinement }
        return file + [0xFF, 0xD9]
    }
}
