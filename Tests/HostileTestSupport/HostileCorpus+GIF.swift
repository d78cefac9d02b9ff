import TestSupport

extension HostileCorpus {
    /// Frames of a GIF.
    static func gifFrames(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let canvas = [(1, 1), (100, 100), (2000, 2000), (65_535, 65_535), (7000, 7000), (0, 0)][number % 6]
        let count = [1, 200, 3000, 100_000][number / 6 % 4]
        var file = Array("GIF89a".utf8) + little(canvas.0, 2) + little(canvas.1, 2) + [0x91, 0, 0] + noise(12, &random)
        if number % 3 == 0 { file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 255, 255, 0] }
        let frames = (0..<4).map { frame($0, of: number, canvas, count, &random) }
        for index in 0..<count { file += frames[index % 4] }
        return file + (number % 2 == 0 ? [0x3B] : [])
    }

    private static func frame(
        _ index: Int,
        of number: Int,
        _ canvas: (Int, Int),
        _ count: Int,
        _ random: inout SeededGenerator
    ) -> [UInt8] {
        let left = number % 5 == 1 ? 65_535 : 0
        let isWhole = number % 7 == 0 && count <= 200
        let size = isWhole ? canvas : number % 11 == 2 ? (65_535, 65_535) : number % 11 == 3 ? (0, 0) : (1, 1)
        var bytes: [UInt8] = [0x21, 0xF9, 4, UInt8(index) << 2 | UInt8(index & 1), 0, 0, UInt8(index), 0, 0x2C]
        bytes += little(left, 2) + little(0, 2) + little(size.0, 2) + little(size.1, 2)
        bytes.append(number % 4 == 0 ? 0x40 : 0)
        switch number % 9 {
        // Code sizes and codes that LZW does not define.
        case 4: bytes += [UInt8(index * 4), 4] + noise(4, &random) + [0]
        case 5: bytes += [8, 255] + [UInt8](repeating: 0xFF, count: 255) + [0]
        case 6 where count < 1000: bytes += repeated([2, 1, 0x44], 200)
        default: bytes += [2, 2, 0x44, 1, 0]
        }
        return bytes
    }
}
