import CLCMS
import CLanes
import Glibc

/// The conversion from an RGB matrix profile to 8-bit sRGB by tables: linear light is a sum of three entries, one for each channel.
///
/// Little CMS reads the profile. Its own conversion calls functions for each pixel to load and to store it, and took a fifth of a small
/// result's time in the worker (Benchmarks/README.md). Results differ from it by one level at most.
@safe
struct MatrixTables {
    /// For each value of red, then of green and of blue, its part of linear red, green and blue, in steps of `encoded`.
    private let parts: [SIMD4<Float>]
    /// The sRGB values of linear light in equal steps from 0 to 1.
    private static let encoded: [UInt8] = (0...largest).map { step in
        let light = Double(step) / Double(largest)
        let value = light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }
    private static let largest = 16_383

    /// Prepares the tables; `nil` for a profile whose black is not 0, which needs black point compensation, and for one that has numbers
    /// of no use.
    init?(_ profile: cmsHPROFILE, target: cmsHPROFILE) {
        guard let matrix = unsafe Self.matrix(from: profile, to: target) else { return nil }
        var parts: [SIMD4<Float>] = []
        let tags = [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag]
        for (channel, tag) in tags.enumerated() {
            guard let curve = unsafe cmsReadTag(profile, tag) else { return nil }
            let tone = OpaquePointer(curve)
            guard unsafe cmsEvalToneCurveFloat(tone, 0) == 0 else { return nil }
            let share = matrix.map { row in row[channel] }
            for value in 0...255 {
                let light = unsafe Double(cmsEvalToneCurveFloat(tone, Float(value) / 255)) * Double(Self.largest)
                // The sum is rounded by dropping what follows the whole number.
                let half = channel == 0 ? 0.5 : 0
                let part = SIMD4(
                    Float(share[0] * light + half),
                    Float(share[1] * light + half),
                    Float(share[2] * light + half),
                    0
                )
                guard (0..<3).allSatisfy({ abs(part[$0]) < 1e6 }) else { return nil }
                parts.append(part)
            }
        }
        self.parts = parts
    }

    /// Converts pixels; alpha is copied unchanged.
    ///
    /// - Parameter bands: 3 or 4 bytes a pixel.
    func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, pixels: Int, bands: Int) {
        unsafe parts.withUnsafeBufferPointer { parts in
            unsafe Self.encoded.withUnsafeBufferPointer { encoded in
                guard let parts = parts.baseAddress, let encoded = encoded.baseAddress else { return }
                var (source, target) = unsafe (
                    source.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self)
                )
                for _ in 0..<pixels {
                    let light =
                        unsafe parts[Int(source[0])] + parts[256 &+ Int(source[1])] + parts[512 &+ Int(source[2])]
                    let step = edge_clamped_whole(light, Float(Self.largest))
                    unsafe target[0] = encoded[Int(step[0])]
                    unsafe target[1] = encoded[Int(step[1])]
                    unsafe target[2] = encoded[Int(step[2])]
                    if bands == 4 { unsafe target[3] = source[3] }
                    unsafe source += bands
                    unsafe target += bands
                }
            }
        }
    }

    /// The factors from the linear light of a profile's channels to that of another's: a row for each channel of the other.
    static func matrix(from profile: cmsHPROFILE, to target: cmsHPROFILE) -> [[Double]]? {
        guard let own = unsafe Self.colorants(of: profile), let wanted = unsafe Self.colorants(of: target),
            let inverse = Self.inverse(wanted)
        else { return nil }
        func factor(_ row: Int, _ channel: Int) -> Double {
            (0..<3).reduce(0) { $0 + inverse[row][$1] * own[$1][channel] }
        }
        return (0..<3).map { row in (0..<3).map { channel in factor(row, channel) } }
    }

    /// The rows X, Y and Z of the colorants red, green and blue, relative to D50 (ICC.1:2010 §F.3).
    private static func colorants(of profile: cmsHPROFILE) -> [[Double]]? {
        var rows = [[Double]](repeating: [], count: 3)
        for tag in [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag] {
            guard let found = unsafe cmsReadTag(profile, tag) else { return nil }
            let colour = unsafe found.load(as: cmsCIEXYZ.self)
            rows[0].append(colour.X)
            rows[1].append(colour.Y)
            rows[2].append(colour.Z)
        }
        return rows
    }

    private static func inverse(_ m: [[Double]]) -> [[Double]]? {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (r, s) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return m[r][c] * m[s][d] - m[r][d] * m[s][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + m[0][$1] * minor(0, $1) }
        guard abs(determinant) > 1e-9 else { return nil }
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
}
