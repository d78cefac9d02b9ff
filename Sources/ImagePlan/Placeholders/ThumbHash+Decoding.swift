extension ThumbHash {
    /// The longer side of a decoded image, in pixels.
    private static let decodedSide = 32.0

    /// Decodes a hash into an image of at most 32 × 32 pixels; `nil` if it is too short.
    package static func decode(_ hash: [UInt8]) -> TinyPicture? {
        guard let parts = Parts(hash) else { return nil }
        let ratio = parts.ratio
        let width = Int((ratio > 1 ? decodedSide : decodedSide * ratio).rounded())
        let height = Int((ratio > 1 ? decodedSide / ratio : decodedSide).rounded())
        var rgba: [UInt8] = []
        rgba.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                let place = (x: (Double(x) + 0.5) / Double(width), y: (Double(y) + 0.5) / Double(height))
                let luminance = parts.luminance.value(at: place)
                let yellowBlue = parts.yellowBlue.value(at: place)
                let blue = luminance - 2 / 3 * yellowBlue
                let red = (3 * luminance - blue + parts.redGreen.value(at: place)) / 2
                let green = red - parts.redGreen.value(at: place)
                let alpha = parts.alpha?.value(at: place) ?? 1
                rgba += [red, green, blue, alpha].map { UInt8((255 * min(1, max(0, $0))).rounded()) }
            }
        }
        return TinyPicture(width: max(1, width), height: max(1, height), rgba: rgba)
    }

    /// A channel: its mean, and the amplitudes of its components.
    private struct Channel {
        var mean: Double
        var columns: Int
        var rows: Int
        var amplitudes: [Double]

        func value(at place: (x: Double, y: Double)) -> Double {
            var value = mean
            var index = 0
            for row in 0..<rows {
                let vertical = MathFunctions.cosine(Double.pi * Double(row) * place.y)
                for column in (row == 0 ? 1 : 0)..<max(row == 0 ? 1 : 0, ThumbHash.count(row, columns, rows)) {
                    value +=
                        amplitudes[index] * MathFunctions.cosine(Double.pi * Double(column) * place.x) * vertical * 2
                    index += 1
                }
            }
            return value
        }
    }

    /// The number of components in a row of the lower triangle.
    private static func count(_ row: Int, _ columns: Int, _ rows: Int) -> Int {
        (0..<columns).count { $0 * rows < columns * (rows - row) }
    }

    /// The fields of a hash.
    private struct Parts {
        var luminance: Channel
        var yellowBlue: Channel
        var redGreen: Channel
        var alpha: Channel?
        /// Width divided by height.
        var ratio: Double

        init?(_ hash: [UInt8]) {
            guard hash.count >= 5 else { return nil }
            let means = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
            let shape = Int(hash[3]) | Int(hash[4]) << 8
            let hasAlpha = means >> 23 == 1
            guard !hasAlpha || hash.count >= 6 else { return nil }
            let isLandscape = shape >> 15 == 1
            let count = max(1, shape & 7)
            let longest = hasAlpha ? 5 : 7
            let (columns, rows) = isLandscape ? (longest, count) : (count, longest)
            ratio = Double(columns) / Double(rows)
            var nibbles = hash[(hasAlpha ? 6 : 5)...].flatMap { [Int($0 & 15), Int($0 >> 4)] }[...]
            func channel(_ mean: Double, _ columns: Int, _ rows: Int, scale: Double) -> Channel? {
                let needed = (0..<rows).reduce(-1) { $0 + ThumbHash.count($1, columns, rows) }
                guard nibbles.count >= needed else { return nil }
                let amplitudes = nibbles.prefix(needed).map { (Double($0) / 7.5 - 1) * scale }
                nibbles = nibbles.dropFirst(needed)
                return Channel(mean: mean, columns: columns, rows: rows, amplitudes: amplitudes)
            }
            // Quantisation makes colours paler, so that decoders saturate them by a quarter.
            guard
                let luminance = channel(
                    Double(means & 63) / 63,
                    max(3, columns),
                    max(3, rows),
                    scale: Double(means >> 18 & 31) / 31
                ),
                let yellowBlue = channel(
                    Double(means >> 6 & 63) / 31.5 - 1,
                    3,
                    3,
                    scale: 1.25 * Double(shape >> 3 & 63) / 63
                ),
                let redGreen = channel(
                    Double(means >> 12 & 63) / 31.5 - 1,
                    3,
                    3,
                    scale: 1.25 * Double(shape >> 9 & 63) / 63
                )
            else { return nil }
            (self.luminance, self.yellowBlue, self.redGreen) = (luminance, yellowBlue, redGreen)
            guard hasAlpha else { return }
            let opacity = channel(Double(hash[5] & 15) / 15, 5, 5, scale: Double(hash[5] >> 4) / 15)
            guard let opacity else { return nil }
            alpha = opacity
        }
    }
}
