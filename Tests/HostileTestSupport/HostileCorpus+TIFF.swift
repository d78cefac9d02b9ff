import TestSupport

extension HostileCorpus {
    /// An entry of a TIFF directory: tag, type, count, and value or offset.
    typealias TIFFEntry = (tag: Int, type: Int, count: Int, value: Int)

    /// A little-endian TIFF with one directory at 8, and the offset of the next one.
    static func tiff(_ entries: [TIFFEntry], next: Int = 0, data: [UInt8] = []) -> [UInt8] {
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + little(entries.count, 2)
        for entry in entries {
            file += little(entry.tag, 2) + little(entry.type, 2) + little(entry.count, 4) + little(entry.value, 4)
        }
        return file + little(next, 4) + data
    }

    /// Directories that loop, and strips and tiles that overlap or are missing.
    static func tiffDirectories(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let size = number % 3 == 0 ? (width: 3000, height: 3000) : extent(&random)
        let compressions = [1, 2, 3, 4, 5, 6, 7, 8, 32_773, 32_946, 34_676, 34_712, 34_925, 34_887, 50_000, 50_001, 99]
        var entries: [TIFFEntry] = [
            (256, 4, 1, size.width), (257, 4, 1, size.height), (258, 3, 1, [1, 8, 16, 32, 64, 7, 255][number % 7]),
            (259, 3, 1, compressions[number % compressions.count]), (262, 3, 1, number % 11),
            (277, 3, 1, [1, 3, 4, 65_535][number % 4]),
        ]
        let start = 8 + 2 + 12 * 12 + 4
        switch number % 6 {
        case 0:
            // The next directory is this one, or overlaps it.
            entries += [(273, 4, 1, start), (278, 4, 1, size.height), (279, 4, 1, 100)]
            return tiff(entries, next: [8, 9, 4, 20][number / 6 % 4], data: noise(300, &random))
        case 1:
            // A hundred thousand strips at one place.
            let count = 100_000
            entries += [(273, 4, count, start), (278, 4, 1, 1), (279, 4, count, start)]
            return tiff(entries, data: [UInt8](repeating: 0, count: 60) + repeated([8, 0, 0, 0], count))
        case 2:
            // Tiles of one pixel, of no pixels, and of billions.
            let side = [1, 0, 16, 65_536, 0x7FFF_FFF0][number / 6 % 5]
            entries += [(322, 4, 1, side), (323, 4, 1, side), (324, 4, 1000, start), (325, 4, 1000, start)]
            return tiff(entries, data: noise(5000, &random))
        case 3:
            // Strips that expand.
            let data = Zlib.bomb(0, count: 32 << 20)
            entries[3].value = 8
            entries += [(273, 4, 1, 8 + 2 + 12 * 9 + 4), (278, 4, 1, size.height), (279, 4, 1, data.count)]
            return tiff(entries, data: data)
        case 4:
            // Directories within directories, and counts beyond the file.
            entries += [
                (330, 4, 1, 8), (34_665, 4, 1, 8), (34_675, 7, 0x7FFF_FFFF, 8), (700, 1, 0xFFFF_FFFF, 8),
                (513, 4, 1, 8), (514, 4, 1, 0xFFFF_FFFF),
            ]
            return tiff(entries, data: noise(200, &random))
        default:
            // Thousands of directories.
            var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
            let count = [100, 5000, 60_000][number / 6 % 3]
            let directory = Array(tiff([(256, 4, 1, 8), (257, 4, 1, 8), (273, 4, 1, 8)])[8...].dropLast(4))
            for index in 0..<count {
                file += directory
                file += little(index == count - 1 ? 8 : file.count + 4, 4)
            }
            return file
        }
    }
}
