import CZlib
import Glibc
import TestSupport

/// A complete reference PNG decoder that follows the specification (W3C PNG, third edition).
///
/// It ignores profiles and primaries, converts gAMA to sRGB's curve and truncates 16 bits to 8. It expects valid files.
struct ReferencePNG {
    private var width = 0
    private var height = 0
    private var depth = 0
    private var colourType = 0
    private var isInterlaced = false
    private var palette: [UInt8] = []
    private var transparency: [UInt8] = []
    private var data: [UInt8] = []
    /// The exponent from sample to light (§11.3.2.2); `nil` for sRGB's curve, including 1/2.2 and its roundings.
    private var exponent: Double?

    /// The picture as RGB, or RGBA if the file has transparency.
    static func decode(_ file: [UInt8]) throws -> PixelImage { try ReferencePNG(file).picture() }

    private init(_ file: [UInt8]) {
        func word(_ place: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(file[place + $1]) } }
        var place = 8
        while place + 12 <= file.count {
            let size = word(place)
            let body = Array(file[place + 8..<place + 8 + size])
            switch String(decoding: file[place + 4..<place + 8], as: UTF8.self) {
            case "IHDR":
                (width, height) = (word(place + 8), word(place + 12))
                (depth, colourType, isInterlaced) = (Int(body[8]), Int(body[9]), body[12] == 1)
            case "PLTE": palette = body
            case "tRNS": transparency = body
            case "gAMA" where !(44_500...46_500).contains(word(place + 8)): exponent = 100_000 / Double(word(place + 8))
            case "IDAT": data += body
            default: break
            }
            place += 12 + size
        }
    }

    private var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colourType] ?? 0 }
    private var hasAlpha: Bool { colourType >= 4 || !transparency.isEmpty }

    /// Start and step of each pass (§8).
    private var passes: [(x: Int, y: Int, stepX: Int, stepY: Int)] {
        guard isInterlaced else { return [(0, 0, 1, 1)] }
        return [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    }

    private struct Failure: Error {}

    private func picture() throws -> PixelImage {
        let bits = channels * depth
        let sizes = passes.map { pass in
            (
                columns: (width - pass.x + pass.stepX - 1) / pass.stepX,
                rows: (height - pass.y + pass.stepY - 1) / pass.stepY
            )
        }
        let total = sizes.reduce(0) { $0 + ($1.columns > 0 ? $1.rows * (($1.columns * bits + 7) / 8 + 1) : 0) }
        var bytes = [UInt8](repeating: 0, count: total)
        var count = uLong(total)
        guard unsafe uncompress(&bytes, &count, data, uLong(data.count)) == Z_OK, count == total else {
            throw Failure()
        }
        var pixels = [[UInt8]](repeating: [], count: width * height)
        var place = 0
        for (pass, size) in zip(passes, sizes) where size.columns > 0 {
            var previous = [UInt8](repeating: 0, count: (size.columns * bits + 7) / 8)
            for row in 0..<size.rows {
                let line = unfiltered(bytes[place...], after: previous, unit: max(1, bits / 8))
                place += line.count + 1
                previous = line
                for column in 0..<size.columns {
                    let target = (pass.y + row * pass.stepY) * width + pass.x + column * pass.stepX
                    pixels[target] = colour(line, column)
                }
            }
        }
        return PixelImage(width: width, height: height, channels: hasAlpha ? 4 : 3, bytes: pixels.flatMap { $0 })
    }

    /// §9.
    private func unfiltered(_ bytes: ArraySlice<UInt8>, after previous: [UInt8], unit: Int) -> [UInt8] {
        let type = bytes[bytes.startIndex]
        var line = Array(bytes.dropFirst().prefix(previous.count))
        for index in line.indices {
            let left = index >= unit ? Int(line[index - unit]) : 0
            let up = Int(previous[index])
            let corner = index >= unit ? Int(previous[index - unit]) : 0
            let guess: Int
            switch type {
            case 1: guess = left
            case 2: guess = up
            case 3: guess = (left + up) / 2
            case 4:
                let estimate = left + up - corner
                let (a, b, c) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
                guess = a <= b && a <= c ? left : b <= c ? up : corner
            default: guess = 0
            }
            line[index] = UInt8((Int(line[index]) + guess) & 255)
        }
        return line
    }

    /// The sample at a position, in its stored depth.
    private func sample(_ line: [UInt8], _ index: Int) -> Int {
        if depth == 16 { return Int(line[2 * index]) << 8 | Int(line[2 * index + 1]) }
        let bit = index * depth
        return Int(line[bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
    }

    private func colour(_ line: [UInt8], _ column: Int) -> [UInt8] {
        let samples = (0..<channels).map { sample(line, column * channels + $0) }
        if colourType == 3 {
            let rgb = palette[samples[0] * 3..<samples[0] * 3 + 3].map { shown(Int($0), of: 255) }
            let alpha = samples[0] < transparency.count ? transparency[samples[0]] : 255
            return hasAlpha ? rgb + [alpha] : rgb
        }
        let most = 1 << depth - 1
        let grey = shown(samples[0], of: most)
        let isGrey = colourType == 0 || colourType == 4
        let colours = isGrey ? [grey, grey, grey] : samples.prefix(3).map { shown($0, of: most) }
        if colourType >= 4 { return colours + [cut(samples[channels - 1], of: most)] }
        guard hasAlpha else { return colours }
        let key = stride(from: 0, to: transparency.count, by: 2).map {
            Int(transparency[$0]) << 8 | Int(transparency[$0 + 1])
        }
        return colours + [samples == key ? 0 : 255]
    }

    /// §13.12: replicates bits, which for these depths is a multiplication.
    private func cut(_ sample: Int, of most: Int) -> UInt8 { UInt8(depth == 16 ? sample >> 8 : sample * 255 / most) }

    /// An 8-bit sample on sRGB's curve (IEC 61966-2-1).
    private func shown(_ sample: Int, of most: Int) -> UInt8 {
        guard let exponent else { return most == 255 ? UInt8(sample) : cut(sample, of: most) }
        let light = pow(Double(sample) / Double(most), exponent)
        let value = light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }
}
