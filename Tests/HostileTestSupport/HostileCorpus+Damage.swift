import TestSupport

extension HostileCorpus {
    /// A file cut short, or with bytes changed, removed, inserted or repeated.
    static func damaged(_ file: [UInt8], _ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        guard file.count > 16 else { return file }
        var bytes = file
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch number % 10 {
        case 0: return Array(bytes.prefix(place))
        case 1: return Array(bytes.prefix(place)) + [UInt8](repeating: 0, count: bytes.count - place)
        case 2:
            let count = min(Int.random(in: 1...200, using: &random), bytes.count - place)
            bytes.removeSubrange(place..<place + count)
        case 3: bytes.insert(contentsOf: noise(Int.random(in: 1...200, using: &random), &random), at: place)
        case 4: bytes.insert(contentsOf: bytes[place...].prefix(300), at: place)
        case 5:
            // A number at the head of the file: most lengths, counts and sizes are there.
            let extremes: [[UInt8]] = [
                [0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 255, 255], [128, 0, 0, 0],
            ]
            let offset = Int.random(in: 0..<min(bytes.count - 4, 300), using: &random)
            bytes.replaceSubrange(offset..<offset + 4, with: extremes.randomElement(using: &random) ?? [])
        case 6:
            let limit = min(bytes.count, 120)
            for _ in 0..<3 { bytes[Int.random(in: 0..<limit, using: &random)] = .random(in: 0...255, using: &random) }
        case 7: return bytes + bytes + noise(100, &random)
        default:
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
        }
        return bytes
    }

    /// Bytes several times.
    ///
    /// Faster than a sequence of arrays, since tests are built without optimisation.
    static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * count)
        for _ in 0..<count { result += bytes }
        return result
    }

    /// Random bytes.
    static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }

    /// A file in which every occurrence of a text is followed by other bytes, from an offset after its end on.
    static func rewriting(_ file: [UInt8], after text: String, at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        var copy = file
        let wanted = Array(text.utf8)
        var index = 0
        while index + wanted.count + offset + bytes.count <= copy.count {
            if copy[index..<index + wanted.count].elementsEqual(wanted) {
                let start = index + wanted.count + offset
                copy.replaceSubrange(start..<start + bytes.count, with: bytes)
                index = start + bytes.count
            } else {
                index += 1
            }
        }
        return copy
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] { HeaderBuilder.big(value, count) }

    static func little(_ value: Int, _ count: Int) -> [UInt8] { HeaderBuilder.little(value, count) }

    /// Sizes at and beyond every limit; a few can be decoded.
    static func extent(_ random: inout SeededGenerator) -> (width: Int, height: Int) {
        let sizes = [
            (0, 0), (1, 0), (1, 1), (1, 65_535), (65_535, 1), (65_535, 65_535), (16_384, 16_384), (2_147_483_647, 1),
            (1, 2_147_483_647), (2_147_483_647, 2_147_483_647), (4_294_967_295, 4_294_967_295), (100_000, 100_000),
            (3000, 2000),
            (30_000, 1_600), (16_383, 3_000), (257, 255), (32_768, 32_768), (46_341, 46_341),
        ]
        return sizes.randomElement(using: &random) ?? (1, 1)
    }
}
