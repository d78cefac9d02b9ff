/// The BlurHash encoder (Wolt): an image as a few cosine components in linear light, in base 83.
///
/// The text consists of the number of components (1 digit), the greatest amplitude (1), the mean colour (4), and each further
/// component (2). There is no alpha: transparent areas count as white.
package enum BlurHash {
    static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )

    /// The smallest side to encode: the waves start at a pixel's edge, so on smaller images a single colour is not free of waves.
    private static let fewestPixels = 32

    /// The number of components per axis, 1–9: about twelve in total, distributed by aspect ratio.
    package static func components(width: Int, height: Int) -> (x: Int, y: Int) {
        let ratio = Double(max(1, width)) / Double(max(1, height))
        func count(_ value: Double) -> Int { min(9, max(1, Int(value.rounded()))) }
        return (count((12 * ratio).squareRoot()), count((12 / ratio).squareRoot()))
    }

    /// Encodes an image, by default with the number of components from `components(width:height:)`.
    package static func encode(_ picture: TinyPicture, components given: (x: Int, y: Int)? = nil) -> String {
        let components = given ?? Self.components(width: picture.width, height: picture.height)
        precondition((1...9).contains(components.x) && (1...9).contains(components.y))
        let waves = amplitudes(of: picture.repeated(untilAtLeast: fewestPixels), components)
        var text: [UInt8] = []
        append(components.x - 1 + (components.y - 1) * 9, digits: 1, to: &text)
        let greatest = waves.dropFirst().flatMap { [abs($0.red), abs($0.green), abs($0.blue)] }.max() ?? 0
        let quantised = waves.count == 1 ? 0 : Int(min(82, max(0, (greatest * 166 - 0.5).rounded(.down))))
        append(quantised, digits: 1, to: &text)
        append(mean(waves[0]), digits: 4, to: &text)
        let scale = Double(quantised + 1) / 166
        for wave in waves.dropFirst() { append(value(wave, scale: scale), digits: 2, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a text is well-formed: base 83 digits, as many as the first one implies.
    package static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, let size = digits.firstIndex(of: first), size < 81 else { return false }
        let count = (size % 9 + 1) * (size / 9 + 1)
        return text.utf8.count == 4 + 2 * count && text.utf8.allSatisfy { digits.contains($0) }
    }

    /// A colour in linear light.
    private struct Light {
        var red = 0.0
        var green = 0.0
        var blue = 0.0
    }

    /// The amplitude of each component, the mean first, row by row.
    private static func amplitudes(of picture: TinyPicture, _ components: (x: Int, y: Int)) -> [Light] {
        let pixels = light(of: picture)
        let columns = cosines(components.x, over: picture.width)
        let rows = cosines(components.y, over: picture.height)
        var result: [Light] = []
        for (j, row) in rows.enumerated() {
            for (i, column) in columns.enumerated() {
                var sum = Light()
                for y in 0..<picture.height {
                    for x in 0..<picture.width {
                        let weight = column[x] * row[y]
                        let pixel = pixels[y * picture.width + x]
                        sum.red += weight * pixel.red
                        sum.green += weight * pixel.green
                        sum.blue += weight * pixel.blue
                    }
                }
                let factor = (i == 0 && j == 0 ? 1 : 2) / Double(picture.pixelCount)
                result.append(Light(red: sum.red * factor, green: sum.green * factor, blue: sum.blue * factor))
            }
        }
        return result
    }

    /// Cosine waves of 0, 1, 2 … half periods.
    static func cosines(_ count: Int, over length: Int) -> [[Double]] {
        (0..<count).map { wave in
            (0..<length).map { MathFunctions.cosine(Double.pi * Double(wave * $0) / Double(length)) }
        }
    }

    private static func light(of picture: TinyPicture) -> [Light] {
        (0..<picture.pixelCount).map { index in
            let alpha = Int(picture.rgba[index * 4 + 3])
            func channel(_ offset: Int) -> Double {
                let value = Int(picture.rgba[index * 4 + offset])
                return SRGBTransfer.linear[(value * alpha + 255 * (255 - alpha) + 127) / 255]
            }
            return Light(red: channel(0), green: channel(1), blue: channel(2))
        }
    }

    private static func mean(_ light: Light) -> Int {
        [light.red, light.green, light.blue].reduce(0) { $0 << 8 | Int(SRGBTransfer.stored($1)) }
    }

    /// Quantises three amplitudes to 19 levels each, finer around 0.
    private static func value(_ light: Light, scale: Double) -> Int {
        [light.red, light.green, light.blue].reduce(0) { value, amplitude in
            let part = amplitude / scale
            let root = abs(part).squareRoot() * (part < 0 ? -1 : 1)
            return value * 19 + Int(min(18, max(0, (root * 9 + 9.5).rounded(.down))))
        }
    }

    private static func append(_ value: Int, digits count: Int, to text: inout [UInt8]) {
        var rest = value
        var written: [UInt8] = []
        for _ in 0..<count {
            written.append(digits[rest % 83])
            rest /= 83
        }
        text.append(contentsOf: written.reversed())
    }
}
