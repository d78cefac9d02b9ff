/// The ThumbHash encoder (Evan Wallace): luminance, two colour differences and alpha as cosine components of sRGB values, in at
/// most 25 bytes.
///
/// Numbers are little-endian: 24 bits of means, the greatest luminance amplitude and an alpha flag; 16 bits of the number of
/// luminance components, the greatest colour amplitudes and a landscape flag; with alpha, a byte of its mean and amplitude; then
/// four bits per component.
package enum ThumbHash {
    /// The longest hash in bytes: six, and half a byte for each of 14 + 5 + 5 + 14 components.
    package static let longest = 25

    /// The smallest side to encode: fewer pixels cannot represent seven waves.
    private static let fewestPixels = 4

    /// Encodes an image.
    package static func encode(_ picture: TinyPicture) -> [UInt8] {
        let picture = picture.repeated(untilAtLeast: fewestPixels)
        let channels = Channels(picture)
        let (width, height) = (picture.width, picture.height)
        let limit = channels.hasAlpha ? 5.0 : 7.0
        let longest = Double(max(width, height))
        let columns = max(1, Int((limit * Double(width) / longest).rounded()))
        let rows = max(1, Int((limit * Double(height) / longest).rounded()))
        let luminance = Waves(channels.luminance, width, height, max(3, columns), max(3, rows))
        let yellowBlue = Waves(channels.yellowBlue, width, height, 3, 3)
        let redGreen = Waves(channels.redGreen, width, height, 3, 3)
        let alpha = channels.hasAlpha ? Waves(channels.alpha, width, height, 5, 5) : nil

        let isLandscape = width > height
        let means =
            whole(63 * luminance.mean) | whole(31.5 + 31.5 * yellowBlue.mean) << 6
            | whole(31.5 + 31.5 * redGreen.mean) << 12 | whole(31 * luminance.scale) << 18
            | (alpha == nil ? 0 : 1) << 23
        let shape =
            (isLandscape ? rows : columns) | whole(63 * yellowBlue.scale) << 3 | whole(63 * redGreen.scale) << 9
            | (isLandscape ? 1 : 0) << 15
        var bytes = [means, means >> 8, means >> 16, shape, shape >> 8].map { UInt8(truncatingIfNeeded: $0) }
        if let alpha { bytes.append(UInt8(whole(15 * alpha.mean) | whole(15 * alpha.scale) << 4)) }
        let amplitudes = [luminance, yellowBlue, redGreen].flatMap(\.amplitudes) + (alpha?.amplitudes ?? [])
        for (index, amplitude) in amplitudes.enumerated() {
            let nibble = UInt8(whole(15 * amplitude))
            if index.isMultiple(of: 2) { bytes.append(nibble) } else { bytes[bytes.count - 1] |= nibble << 4 }
        }
        return bytes
    }

    private static func whole(_ value: Double) -> Int { Int(value.rounded()) }

    /// The channels of the image, 0–1 or −1–1; transparent areas take the mean colour of the others.
    private struct Channels {
        var luminance: [Double] = []
        var yellowBlue: [Double] = []
        var redGreen: [Double] = []
        var alpha: [Double] = []
        let hasAlpha: Bool

        init(_ picture: TinyPicture) {
            let mean = Mean(picture)
            hasAlpha = mean.weight < 255 * Double(picture.pixelCount)
            for start in stride(from: 0, to: picture.rgba.count, by: 4) {
                let opacity = Double(picture.rgba[start + 3]) / 255
                func color(_ offset: Int, over mean: Double) -> Double {
                    mean * (1 - opacity) + Double(picture.rgba[start + offset]) / 255 * opacity
                }
                let red = color(0, over: mean.red)
                let green = color(1, over: mean.green)
                let blue = color(2, over: mean.blue)
                luminance.append((red + green + blue) / 3)
                yellowBlue.append((red + green) / 2 - blue)
                redGreen.append(red - green)
                alpha.append(opacity)
            }
        }
    }

    /// The mean colour of the visible pixels, 0–1; black if there are none.
    private struct Mean {
        var red = 0.0
        var green = 0.0
        var blue = 0.0
        /// The sum of all alpha values, 0–255 each.
        var weight = 0.0

        init(_ picture: TinyPicture) {
            for start in stride(from: 0, to: picture.rgba.count, by: 4) {
                let alpha = Double(picture.rgba[start + 3])
                red += Double(picture.rgba[start]) * alpha
                green += Double(picture.rgba[start + 1]) * alpha
                blue += Double(picture.rgba[start + 2]) * alpha
                weight += alpha
            }
            guard weight > 0 else { return }
            red /= weight * 255
            green /= weight * 255
            blue /= weight * 255
        }
    }

    /// The discrete cosine transform of a channel, limited to the lower triangle of components.
    private struct Waves {
        var mean = 0.0
        /// The amplitudes mapped from ±`scale` to 0–1, row by row; 0 if there are none.
        var amplitudes: [Double] = []
        /// The greatest amplitude.
        var scale = 0.0

        init(_ channel: [Double], _ width: Int, _ height: Int, _ columns: Int, _ rows: Int) {
            let across = Self.waves(columns, over: width)
            let down = Self.waves(rows, over: height)
            // Rows first, then columns of the row sums: as many multiplications per column as there are pixels.
            let sums = across.map { wave in
                (0..<height).map { y in
                    var sum = 0.0
                    for x in 0..<width { sum += channel[y * width + x] * wave[x] }
                    return sum
                }
            }
            for row in 0..<rows {
                var column = 0
                while column * rows < columns * (rows - row) {
                    var sum = 0.0
                    for y in 0..<height { sum += sums[column][y] * down[row][y] }
                    sum /= Double(width * height)
                    if row == 0, column == 0 {
                        mean = sum
                    } else {
                        amplitudes.append(sum)
                        scale = max(scale, abs(sum))
                    }
                    column += 1
                }
            }
            guard scale > 0 else { return }
            amplitudes = amplitudes.map { 0.5 + 0.5 / scale * $0 }
        }

        private static func waves(_ count: Int, over length: Int) -> [[Double]] {
            (0..<count).map { wave in
                (0..<length).map {
                    MathFunctions.cosine(Double.pi / Double(length) * Double(wave) * (Double($0) + 0.5))
                }
            }
        }
    }
}
