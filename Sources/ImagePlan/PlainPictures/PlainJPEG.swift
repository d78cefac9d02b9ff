/// A baseline JPEG (ITU-T T.81) of one colour: each block after the first has the same mean, and nothing else.
struct PlainJPEG {
    private let size: PixelSize
    /// Y, Cb and Cr (JFIF), less 128.
    private let means: [Int]

    init(_ picture: PlainPicture) {
        size = picture.size
        let color = picture.color
        // On white.
        let alpha = Int(color.alpha)
        let channels = [color.red, color.green, color.blue].map {
            Double((Int($0) * alpha + 255 * (255 - alpha) + 127) / 255)
        }
        let (red, green, blue) = (channels[0], channels[1], channels[2])
        means = [
            0.299 * red + 0.587 * green + 0.114 * blue - 128, -0.168736 * red - 0.331264 * green + 0.5 * blue,
            0.5 * red - 0.418688 * green - 0.081312 * blue,
        ].map { min(127, max(-128, Int($0.rounded()))) }
    }

    var bytes: [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        // A mean of eight times the value: with this divisor, coefficients are the values themselves.
        file += segment(0xDB, [0] + [UInt8](repeating: 8, count: 64))
        let sides = [size.height, size.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        // Colour at half the resolution.
        file += segment(0xC0, [8] + sides + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0])
        // Means: no difference is "0", categories 1 to 8 have five bits. Others: end of block is "0".
        file += segment(0xC4, [0x00, 1, 0, 0, 0, 8] + [UInt8](repeating: 0, count: 11) + Array(0...8))
        file += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        file += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])
        return file + scan + [0xFF, 0xD9]
    }

    private func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((data.count + 2) >> 8), UInt8((data.count + 2) & 255)] + data
    }

    /// The entropy-coded blocks: 16×16 pixels are four of Y, one of Cb and one of Cr.
    private var scan: [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) { bits += (0..<count).reversed().map { value >> $0 & 1 == 1 } }
        for (component, mean) in means.enumerated() {
            let category = mean == 0 ? 0 : Int.bitWidth - abs(mean).leadingZeroBitCount
            if category == 0 { append(0, 1) } else { append(0b10000 + category - 1, 5) }
            append(mean < 0 ? mean - 1 : mean, category)
            append(0, 1)
            // The other three blocks of Y.
            if component == 0 { append(0, 6) }
        }
        let units = (size.width + 15) / 16 * ((size.height + 15) / 16)
        // Two zero bits for each further block.
        let total = bits.count + (units - 1) * 12
        var bytes = [UInt8](repeating: 0, count: (total + 7) / 8)
        for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
        // Filled with ones (§F.1.2.3).
        if total % 8 > 0 { bytes[bytes.count - 1] |= 0xFF >> UInt8(total % 8) }
        // Only these may be 0xFF: zeros follow.
        let head = (bits.count + 7) / 8
        return bytes.prefix(head).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] } + bytes.dropFirst(head)
    }
}
