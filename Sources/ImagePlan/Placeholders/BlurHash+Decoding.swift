extension BlurHash {
    /// Decodes a hash into an opaque image; `nil` for a malformed hash, and for sides outside of 1–100.
    package static func decode(_ text: String, width: Int, height: Int) -> TinyPicture? {
        let sides = 1...TinyPicture.longestSide
        guard isValid(text), sides.contains(width), sides.contains(height) else { return nil }
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 83 + $1 } }
        let (columns, rows) = (values[0] % 9 + 1, values[0] / 9 + 1)
        let scale = Double(values[1] + 1) / 166
        let mean = number(2..<6)
        // 83⁴ is more than 2²⁴: such a mean is no colour.
        guard mean < 1 << 24 else { return nil }
        var waves = [[mean >> 16, mean >> 8 & 255, mean & 255].map { SRGBTransfer.linear[$0] }]
        for index in 1..<max(1, columns * rows) {
            let value = number(4 + 2 * index..<6 + 2 * index)
            // Two digits have more values than 19³, the rest of which no encoder writes.
            guard value < 19 * 19 * 19 else { return nil }
            waves.append(
                [value / 361, value / 19 % 19, value % 19].map { step in
                    let root = Double(step - 9) / 9
                    return root * abs(root) * scale
                }
            )
        }
        let across = cosines(columns, over: width)
        let down = cosines(rows, over: height)
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    var light = 0.0
                    for row in 0..<rows {
                        for column in 0..<columns {
                            light += waves[row * columns + column][channel] * across[column][x] * down[row][y]
                        }
                    }
                    rgba.append(SRGBTransfer.stored(min(1, max(0, light))))
                }
                rgba.append(255)
            }
        }
        return TinyPicture(width: width, height: height, rgba: rgba)
    }
}
