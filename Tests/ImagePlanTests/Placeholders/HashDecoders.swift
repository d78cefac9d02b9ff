import Glibc
import ImagePlan

/// Decoders for the hashes, written from their public descriptions, as in browsers.
enum HashDecoders {
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
    )

    /// Decodes a BlurHash.
    static func blurHash(_ hash: String, width: Int, height: Int) -> TinyPicture? {
        let values = hash.compactMap { digits.firstIndex(of: $0) }
        guard values.count == hash.count, values.count >= 6 else { return nil }
        func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 83 + $1 } }
        let (columns, rows) = (values[0] % 9 + 1, values[0] / 9 + 1)
        guard values.count == 4 + 2 * columns * rows else { return nil }
        let scale = Double(values[1] + 1) / 166
        let mean = number(2..<6)
        var waves = [[mean >> 16, mean >> 8 & 255, mean & 255].map { linear(Double($0) / 255) }]
        for index in 1..<columns * rows {
            let value = number(4 + 2 * index..<6 + 2 * index)
            waves.append(
                [value / 361, value / 19 % 19, value % 19].map { step in
                    let root = Double(step - 9) / 9
                    return root * abs(root) * scale
                }
            )
        }
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    var light = 0.0
                    for row in 0..<rows {
                        for column in 0..<columns {
                            let basis =
                                cos(.pi * Double(x * column) / Double(width))
                                * cos(.pi * Double(y * row) / Double(height))
                            light += waves[row * columns + column][channel] * basis
                        }
                    }
                    rgba.append(byte(encoded(light)))
                }
                rgba.append(255)
            }
        }
        return TinyPicture(width: width, height: height, rgba: rgba)
    }

    /// Decodes a ThumbHash to 32 pixels on the longer side.
    ///
    /// - Parameter isExact: whether to invert the encoding exactly; browsers boost saturation by a quarter and smooth components
    ///   that vary in both directions.
    static func thumbHash(_ hash: [UInt8], isExact: Bool = false) -> TinyPicture? {
        let boost = isExact ? 1 : 1.25
        guard hash.count >= 5 else { return nil }
        func bits(_ start: Int, _ count: Int) -> Double {
            var value = 0
            for bit in 0..<count where hash[(start + bit) / 8] >> UInt8((start + bit) % 8) & 1 == 1 {
                value |= 1 << bit
            }
            return Double(value)
        }
        let hasAlpha = bits(23, 1) == 1
        let isLandscape = bits(39, 1) == 1
        let long = hasAlpha ? 5 : 7
        let short = Int(bits(24, 3))
        let (columns, rows) = isLandscape ? (long, short) : (short, long)
        var place = hasAlpha ? 48 : 40
        func channel(_ mean: Double, _ columns: Int, _ rows: Int, _ scale: Double) -> [(Int, Int, Double)] {
            var waves = [(0, 0, mean)]
            for row in 0..<rows {
                var column = row == 0 ? 1 : 0
                while column * rows < columns * (rows - row) {
                    waves.append((column, row, (bits(place, 4) / 7.5 - 1) * scale))
                    place += 4
                    column += 1
                }
            }
            return waves
        }
        let luminance = channel(bits(0, 6) / 63, max(3, columns), max(3, rows), bits(18, 5) / 31)
        let yellowBlue = channel(bits(6, 6) / 31.5 - 1, 3, 3, bits(27, 6) / 63 * boost)
        let redGreen = channel(bits(12, 6) / 31.5 - 1, 3, 3, bits(33, 6) / 63 * boost)
        let alpha = hasAlpha ? channel(bits(40, 4) / 15, 5, 5, bits(44, 4) / 15) : [(0, 0, 1)]
        let ratio = Double(columns) / Double(rows)
        let width = Int((ratio > 1 ? 32 : 32 * ratio).rounded())
        let height = Int((ratio > 1 ? 32 / ratio : 32).rounded())
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                func value(_ waves: [(Int, Int, Double)]) -> Double {
                    waves.reduce(0) { sum, wave in
                        let across = cos(.pi / Double(width) * (Double(x) + 0.5) * Double(wave.0))
                        let down = cos(.pi / Double(height) * (Double(y) + 0.5) * Double(wave.1))
                        let isBoth = wave.0 > 0 && wave.1 > 0
                        let factor: Double = wave.0 + wave.1 == 0 ? 1 : isBoth && isExact ? 4 : 2
                        return sum + wave.2 * across * down * factor
                    }
                }
                let (l, p, q) = (value(luminance), value(yellowBlue), value(redGreen))
                let blue = l - 2 / 3 * p
                let red = (3 * l - blue + q) / 2
                rgba += [byte(red), byte(red - q), byte(blue), byte(value(alpha))]
            }
        }
        return TinyPicture(width: width, height: height, rgba: rgba)
    }

    private static func byte(_ value: Double) -> UInt8 { UInt8((min(1, max(0, value)) * 255).rounded()) }

    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ value: Double) -> Double {
        let light = min(1, max(0, value))
        return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
