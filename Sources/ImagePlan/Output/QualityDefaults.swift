/// The default encoder settings: qualities, 1–100 (`quality` in the configuration), and libwebp's options (`webp`).
package struct QualityDefaults: Hashable, Sendable {
    package var jpeg: Int
    package var webp: Int
    package var avif: Int
    package var jxl: Int
    package var webpOptions: WebPOptions
    /// The default effort, 0–9, of AVIF chosen by `format=auto` (`avif.effort`).
    package var avifEffort = standardAVIFEffort
    /// The perceptual distance that `q=auto` aims at, in thousandths of that of photographs at the qualities above.
    package var distance = Self.standardDistance

    /// The distance of the default qualities.
    package static let standardDistance = 1_000
    /// The range of `distance`.
    package static let distances = 100...10_000

    /// Creates settings, by default the documented ones.
    package init(
        jpeg: Int = 80,
        webp: Int = 79,
        avif: Int = 60,
        jxl: Int = standardJXL,
        webpOptions: WebPOptions = WebPOptions()
    ) {
        self.jpeg = jpeg
        self.webp = webp
        self.avif = avif
        self.jxl = jxl
        self.webpOptions = webpOptions
    }

    /// The default quality of JPEG XL: the mean score of photographs is that of the other formats' defaults (Benchmarks/README.md).
    package static let standardJXL = 79

    /// The default effort of AVIF stills, which is also that of requests that name the format: ten bits per sample, with a twentieth
    /// fewer bytes than effort 0 (Benchmarks/README.md).
    package static let standardAVIFEffort = 1

    /// The score of SSIMULACRA 2 that a distance stands for: 100 less 25 points for each unit, since photographs at the default
    /// qualities score about 75.
    ///
    /// - Parameter distance: the distance in thousandths.
    package static func score(at distance: Int) -> Double { 100 - 25 * Double(distance) / Double(standardDistance) }

    /// The distance that a search aims at, in thousandths: the level's that the request states, else the source's.
    package func distance(for setting: QualitySetting) -> Int {
        if case .search(let level?) = setting { level.distance } else { distance }
    }

    /// The settings as canonical text, for cache keys.
    package var keyText: String {
        let options = webpOptions.keyText
        return "\(jpeg),\(webp),\(avif)" + (options.isEmpty ? "" : ";\(options)")
            + (jxl == Self.standardJXL ? "" : ";jxl=\(jxl)")
            + (avifEffort == Self.standardAVIFEffort ? "" : ";avif-effort=\(avifEffort)")
    }
}
