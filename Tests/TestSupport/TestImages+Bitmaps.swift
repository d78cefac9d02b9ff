extension TestImages {
    /// An uncompressed 24-bit BMP of 8-bit RGB pixels, row by row from the top; `width` is a multiple of 4.
    package static func bmp(width: Int, height: Int, rgb: [UInt8]) -> [UInt8] {
        precondition(rgb.count == width * height * 3 && width.isMultiple(of: 4))
        var file: [UInt8] = [0x42, 0x4D] + long(54 + rgb.count) + long(0) + long(54)
        file += long(40) + long(width) + long(height) + [1, 0, 24, 0] + long(0) + long(rgb.count)
        file += long(2835) + long(2835) + long(0) + long(0)
        for row in (0..<height).reversed() {
            for column in 0..<width {
                let start = (row * width + column) * 3
                file += [rgb[start + 2], rgb[start + 1], rgb[start]]
            }
        }
        return file
    }

    /// An uncompressed little-endian TIFF of RGB pixels, row by row.
    ///
    /// - Parameters:
    ///   - samples: three values of `depth` bits per pixel.
    ///   - depth: 8 or 16.
    ///   - orientation: the TIFF orientation, 1–8.
    ///   - photometric: 2 for RGB.
    package static func tiff(
        width: Int,
        height: Int,
        samples: [UInt16],
        depth: Int,
        orientation: Int = 1,
        photometric: Int = 2
    ) -> [UInt8] {
        let bands = samples.count / (width * height)
        let pixels = samples.flatMap { depth == 8 ? [UInt8($0)] : littleEndian(Int($0)) }
        let entries: [(tag: Int, value: Int)] = [
            (256, width), (257, height), (258, 0), (259, 1), (262, photometric), (273, 0), (274, orientation),
            (277, bands), (278, height), (279, pixels.count),
        ]
        let end = 8 + 2 + 12 * entries.count + 4
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + littleEndian(entries.count)
        for entry in entries {
            switch entry.tag {
            case 258: file += littleEndian(258) + [3, 0] + long(bands) + long(end)
            case 273: file += littleEndian(273) + [4, 0, 1, 0, 0, 0] + long(end + 2 * bands)
            case 274: file += littleEndian(274) + [3, 0, 1, 0, 0, 0] + long(orientation)
            default: file += littleEndian(entry.tag) + [4, 0, 1, 0, 0, 0] + long(entry.value)
            }
        }
        return file + long(0) + (0..<bands).flatMap { _ in littleEndian(depth) } + pixels
    }

    /// A gradient as three samples per pixel, of 8 or 16 bits.
    package static func samples(width: Int, height: Int, depth: Int = 8) -> [UInt16] {
        let most = depth == 8 ? 255 : 65_535
        var samples: [UInt16] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                samples += [UInt16(x * most / width), UInt16(y * most / height), UInt16((x * 7 + y * 3) & 255)]
            }
        }
        return samples
    }

    private static func long(_ value: Int) -> [UInt8] { littleEndian(value) + littleEndian(value >> 16) }
}
