import TestSupport

extension HostileCorpus {
    /// BMP files: headers of every length, extreme sizes, and runs that leave the picture.
    static func bmp(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let size =
            number % 3 == 0 ? (width: 64, height: 48) : number % 3 == 1 ? (width: 5000, height: -5000) : extent(&random)
        let header = bitmap(size, number, &random)
        let offset = [14 + header.count, 0, 0x7FFF_FFFF, 14, 26][number / 2 % 5]
        let file = Array("BM".utf8) + little(70, 4) + little(0, 4) + little(offset, 4) + header
        return file + pixels(number, &random)
    }

    /// A bitmap header with a palette.
    private static func bitmap(_ size: (width: Int, height: Int), _ number: Int, _ random: inout SeededGenerator)
        -> [UInt8]
    {
        let length = [40, 12, 108, 124, 40, 52, 56, 64, 16, 0, 65_535, 0xFFFF_FFFF][number % 12]
        let depth = [8, 24, 4, 1, 32, 16, 2, 0, 64, 255][number / 3 % 10]
        if length == 12 {
            return little(12, 4) + little(size.width, 2) + little(size.height, 2) + little(1, 2) + little(depth, 2)
        }
        let compression = [0, 1, 2, 3, 6, 4, 5, 99][number / 4 % 8]
        let colours = [0, 256, 1, 0xFFFF_FFFF][number % 4]
        var header =
            little(length, 4) + little(size.width, 4) + little(size.height, 4) + little(1, 2) + little(depth, 2)
        header += little(compression, 4) + little(0, 4) + little(0, 8) + little(colours, 4) + little(0, 4)
        if length > 40, length < 200 { header += noise(length - 40, &random) }
        return header + noise(depth <= 8 ? min(1 << depth, 256) * 4 : 16, &random)
    }

    private static func pixels(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        switch number % 6 {
        // Runs: escapes that move outside, without an end.
        case 0: (0..<500).flatMap { _ in [0, 2, 255, 255] as [UInt8] }
        case 1: (0..<500).flatMap { _ in [255, 7] as [UInt8] } + [0, 1]
        case 2: (0..<200).flatMap { _ in [0, 255] as [UInt8] }
        case 3: []
        default: noise(Int.random(in: 1...9000, using: &random), &random)
        }
    }

    /// ICO and CUR files: entries that overlap, lie about sizes, or contain bombs.
    func ico(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let count = [1, 3, 255, 65_535][number % 4]
        let images: [[UInt8]] = [
            seeds.png, Self.pngPixels(number, &random),
            Self.bitmap((32, 64), number, &random) + Self.noise(3000, &random),
            Self.pngHeader((256, 256)), Self.damaged(seeds.png, number, &random), Self.bitmap((1, 2), 4, &random), [],
        ]
        let image = images[number / 4 % images.count]
        var file: [UInt8] = [0, 0, number % 5 == 0 ? 2 : 1, 0] + Self.little(count, 2)
        let present = min(count, 3000)
        for index in 0..<present {
            let offset = [6 + 16 * present, 6 + 16 * present, 0, 6, 0x7FFF_FFFF, 6 + 16 * present + index][number % 6]
            let length = number % 7 == 0 ? 0xFFFF_FFFF : image.count
            file += [UInt8(index & 255), UInt8(number & 255), 0, 0, 1, 0, [32, 8, 1, 24][number % 4], 0]
            file += Self.little(length, 4) + Self.little(offset, 4)
        }
        return file + image
    }
}
