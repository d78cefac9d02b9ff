/// The colour chunks of a PNG other than an ICC profile (W3C PNG, third edition, §11.3.2).
struct PNGColour {
    /// The colours of cICP; `nil` if it is missing or unsupported.
    private(set) var codingPoints: StatedColour?
    /// The colours of gAMA, and of cHRM if there is one, which apply without sRGB and without a profile.
    ///
    /// cHRM alone states no colours, since the curve is unknown; browsers ignore it, too.
    var gammaAndPrimaries: StatedColour? {
        guard !isSRGB, let transfer else { return nil }
        return StatedColour(primaries: primaries ?? .sRGB, transfer: transfer)
    }

    /// The colours as code points; a profile takes precedence over all except cICP.
    var stated: StatedColour? { codingPoints ?? gammaAndPrimaries }

    private var isSRGB = false
    /// The places of the sRGB chunks.
    private var sRGBChunks: [Range<Int>] = []
    /// The places of those that precede a profile.
    private var overridden: [Range<Int>] = []
    private var transfer: StatedColour.Transfer?
    private var primaries: StatedColour.Primaries?

    /// The maximum number of chunks to examine.
    private static let mostChunks = 256
    /// The gAMA values that stand for sRGB's curve: 45455 (§11.3.2.5) and its roundings.
    private static let gammaOfSRGB = 44_500...46_500
    /// The plausible exponents of gAMA; others are ignored.
    private static let exponents = 0.2...5.0

    /// Reads the chunks of a file up to the first damaged one.
    init(_ bytes: Span<UInt8>) {
        var position = AnimatedPNG.signature.count
        for _ in 0..<Self.mostChunks {
            guard let chunk = try? PNGChunk(bytes, at: position), chunk.name != "IDAT" else { return }
            read(chunk, bytes)
            position = chunk.whole.upperBound
        }
    }

    /// Returns the file without the sRGB chunks that precede a profile; `nil` if there are none.
    ///
    /// A profile takes precedence, but libpng ignores one that follows sRGB (1.6).
    ///
    /// - Parameter bytes: the file that was read.
    func withEffectiveProfile(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard !overridden.isEmpty else { return nil }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            var file: [UInt8] = []
            file.reserveCapacity(bytes.count)
            var start = 0
            for place in overridden {
                unsafe file += bytes[start..<place.lowerBound]
                start = place.upperBound
            }
            unsafe file += bytes[start...]
            return file
        }
    }

    private mutating func read(_ chunk: PNGChunk, _ bytes: Span<UInt8>) {
        let start = chunk.content.lowerBound
        switch (chunk.name, chunk.content.count) {
        // RGB has no matrix coefficients.
        case ("cICP", 4) where bytes[start + 2] == 0:
            codingPoints = StatedColour(
                primaries: Int(bytes[start]),
                transfer: Int(bytes[start + 1]),
                isFullRange: bytes[start + 3] != 0
            )
        case ("sRGB", 1):
            isSRGB = true
            sRGBChunks.append(chunk.whole)
        case ("iCCP", _): overridden = sRGBChunks
        case ("gAMA", 4):
            let value = bytes.word(start)
            let exponent = value == 0 ? 0 : 100_000 / Double(value)
            guard Self.exponents.contains(exponent) else { return }
            transfer = Self.gammaOfSRGB.contains(value) ? .sRGB : .gamma(exponent)
        case ("cHRM", 32):
            let values = (0..<8).map { Double(bytes.word(start + $0 * 4)) / 100_000 }
            guard values.allSatisfy({ (0...1).contains($0) }), values[1] > 0 else { return }
            primaries = StatedColour.Primaries(
                red: [values[2], values[3]],
                green: [values[4], values[5]],
                blue: [values[6], values[7]],
                white: [values[0], values[1]]
            )
        default: break
        }
    }
}
