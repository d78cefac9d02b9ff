import CAVIF
import ImagePlan

/// How aom encodes: its speed, depth, level of quality and tools, chosen by effort.
///
/// The choices are those that give the fewest bytes at equal SSIMULACRA 2 without more time than they save elsewhere
/// (Benchmarks/README.md).
struct AVIFTuning {
    /// libavif's speed, 0 (smallest file) to 9.
    let speed: CInt
    /// Bits per sample.
    let depth: UInt32
    /// aom's level of constant quality, 0 (best) to 63 (AV1 §5.9.12); `nil` for lossless.
    let level: Int?
    /// aom's options, by name.
    let codecOptions: [(name: String, value: String)]

    /// aom's coarsest level.
    static let coarsest: CInt = 63

    /// The effort of animations for requests that name none; `QualityDefaults` has that of stills.
    static let standardAnimationEffort = 0
    /// The efforts of a request.
    static let efforts = 0...9

    /// aom's level of quantisation matrices at the highest speed, 0 (steepest) to 15 (flat; AV1 §7.12.2).
    ///
    /// At that speed 5 saves a tenth of the bytes at equal SSIMULACRA 2 and a little at equal structural similarity; below 5 the
    /// latter gets worse. At lower speeds, whose choices aom rates without the matrices, every level costs bytes.
    ///
    /// They are for colours alone: in alpha they would blur edges.
    private static let matrices = [("color:enable-qm", "1"), ("color:qm-min", "5"), ("color:qm-max", "5")]

    /// The levels, by quality in steps of ten from 5, that have with matrices the SSIMULACRA 2 of the linear scale without.
    private static let matrixScale = [60.0, 53.8, 46, 39.3, 32, 22.7, 14.4, 9.3, 4.1, 0.7]

    /// Whether libavif tunes aom for still images by itself (`tune=iq`): from 1.3 on, with matrices and another scale of levels.
    static let isLibraryTuned = (AVIF_VERSION_MAJOR, AVIF_VERSION_MINOR) >= (1, 3)

    /// The share by which levels are coarser at equal SSIMULACRA 2 with `tune=iq`: measured with libavif 1.4.2 and aom 3.14.1.
    private static let tunedShare = 1.12

    /// The tuning of a still image.
    ///
    /// Full chroma means a drawing, where the highest speed takes half the time and twice the bytes of the next.
    /// - Parameters:
    ///   - quality: 1–100; `nil` for lossless.
    ///   - effort: 0–9.
    ///   - keepsColours: whether chroma keeps the full resolution.
    ///   - mostBits: 8 if there is not enough memory for more bits per sample.
    ///   - isTuned: whether libavif tunes aom for still images by itself.
    static func still(
        quality: Int?,
        effort: Int,
        keepsColours: Bool,
        mostBits: UInt32 = 10,
        isTuned: Bool = isLibraryTuned
    ) -> AVIFTuning {
        guard let quality else { return AVIFTuning(speed: speed(effort), depth: 8, level: nil, tools: []) }
        guard keepsColours || effort > 0 else {
            let level = isTuned ? tunedLevel(quality) : matrixQualityLevel(quality)
            return AVIFTuning(speed: speed(0), depth: 8, level: level, tools: isTuned ? [] : matrices)
        }
        return AVIFTuning(
            speed: speed(max(effort, 1)),
            depth: min(10, mostBits),
            level: isTuned ? tunedLevel(quality) : linearLevel(quality),
            // In photographs with flat parts, aom 3.6 chooses palettes that take up to twice the bytes.
            tools: keepsColours ? [] : [("color:enable-palette", "0")]
        )
    }

    /// The tuning of an animation.
    ///
    /// libavif encodes sequences in aom's real-time mode from speed 7 on. There aom 3.6 crashes at speed 7 with some pictures, and level 0
    /// is not lossless.
    ///
    /// - Parameters:
    ///   - quality: 1–100; `nil` for lossless.
    ///   - effort: 0–9.
    static func animation(quality: Int?, effort: Int) -> AVIFTuning {
        let level = quality.map(linearLevel)
        let mayBeRealTime = speed(effort) > 7 && level ?? 0 > 0
        return AVIFTuning(
            speed: mayBeRealTime ? speed(effort) : min(speed(effort), 6),
            depth: 8,
            level: level,
            tools: []
        )
    }

    private init(speed: CInt, depth: UInt32, level: Int?, tools: [(String, String)]) {
        self.speed = speed
        self.depth = depth
        self.level = level
        let constant = level.map { [("end-usage", "q"), ("cq-level", "\($0)")] } ?? []
        codecOptions = constant + tools
    }

    private static func speed(_ effort: Int) -> CInt { CInt(efforts.upperBound - min(effort, efforts.upperBound)) }

    /// The level of a quality on libheif's scale, which the qualities of requests are on.
    private static func linearLevel(_ quality: Int) -> Int { ((100 - quality) * Int(coarsest) + 50) / 100 }

    private static func tunedLevel(_ quality: Int) -> Int {
        min(Int(coarsest), Int((Double(linearLevel(quality)) * tunedShare).rounded()))
    }

    /// The level that has, with matrices, about the score of the linear scale.
    private static func matrixQualityLevel(_ quality: Int) -> Int {
        // Level 0 is lossless coding, which only the highest quality is to cost.
        guard quality < 100 else { return 0 }
        let position = min(max(Double(quality - 5) / 10, 0), Double(matrixScale.count - 1))
        let below = min(Int(position), matrixScale.count - 2)
        let share = position - Double(below)
        let level = matrixScale[below] * (1 - share) + matrixScale[below + 1] * share
        return max(1, Int(level.rounded()))
    }
}

extension AVIFTuning {
    /// Checks that a worker has the memory for encoding a still image in memory.
    ///
    /// Measured with libavif 0.11.1 and aom 3.6.0 at 6 MP and efforts 0 to 2, besides the pixels: 23.6 and 34 bytes per pixel with 8 and 10
    /// bits, and 41.5 and 60.5 with full chroma; with noise up to 37.2. From effort 3 on aom holds 13 more, and from 4 on 17.
    /// - Throws: `WorkerReply.Failure.refused`.
    static func checkMemory(
        for size: PixelSize,
        depth: UInt32,
        keepsColours: Bool,
        effort: Int
    ) throws(WorkerReply.Failure) {
        let bytes =
            switch (depth > 8, keepsColours) {
            case (false, false): 23
            case (false, true): 41
            case (true, false): 37
            case (true, true): 61
            }
        try EncoderMemory.check(size, bytesPerPixel: bytes + (effort < 3 ? 0 : effort == 3 ? 13 : 17), as: .avif)
    }
}
