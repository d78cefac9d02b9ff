import ImagePlan
import LinuxSystem

/// Finds the quality whose result scores nearest to a target (`q=auto`).
///
/// Encodes at a quality guessed from the image, decodes, scores, and encodes again only if the score is too far off. Uses nothing of
/// earlier images, so the same request gives the same bytes, unless its deadline ends the search. A WebP with fine colours is encoded
/// with `sharp_yuv`, without which it may not reach the score at any quality.
struct ScoreSearch {
    let coder: any Coder
    /// The options; their quality is that of images too small to be scored.
    let options: EncodingOptions
    /// The score to reach (`PerceptualScore`).
    let target: Double
    /// Whether the options' quality is known to score nearly the target, which is then met more closely.
    var isRefined = false

    /// The difference between a score and the target, in points, that ends a refined search.
    private static let closeness = 0.25

    /// The maximum number of bytes of pixels that a search may hold; larger images are encoded at the options' quality.
    static let mostHeld = 256 << 20

    /// The shortest side of an image that is searched, in pixels.
    ///
    /// Below, the coarsest of five scales is missing, which counts most: the same picture would get a far lower quality.
    static let shortestSide = (PerceptualScore.shortestSide - 1) << 4 + 1

    /// The result of a search.
    struct Found {
        var encoded: EncodedPicture
        /// The options that it was encoded with.
        var options: EncodingOptions
        var quality: Int { options.quality }
        /// The number of encodes that were scored.
        var tries = 0
        /// The score of `encoded`; `nil` if it was not measured.
        var score: Double?
    }

    /// Searches for the quality and encodes the whole image, at the options' quality if it is too small or there is not enough memory.
    ///
    /// A large image is encoded whole and scored by a sample of it. An animation is searched by a sample of its frames and encoded once.
    /// When the deadline approaches, the best result so far is used.
    /// - Parameter picture: an image in memory.
    /// - Throws: the errors of encoding and decoding.
    func run(_ picture: FinishedPicture) throws -> Found {
        let frame = picture.frames[0]
        let sheet = picture.animation == nil ? nil : try SampleSheet.make(of: picture.frames)
        guard Self.isLargeEnough(sheet ?? frame) else {
            return Found(encoded: try coder.encode(picture, options), options: options)
        }
        guard let sheet else { return try search(picture, deadlineShare: 1) }
        let sample = FinishedPicture(frames: [sheet], animation: nil, filter: MetadataFilter(policy: .strip))
        let factor = Double(frame.width * frame.height * picture.frames.count) / Double(sheet.width * sheet.height)
        // Animations are encoded with more effort than stills: twice the time for each pixel, and eight times at a stated effort.
        let found = try search(sample, deadlineShare: 1 + factor * (options.settings.effort == nil ? 2 : 8))
        var whole = found
        whole.encoded = try coder.encode(picture, found.options)
        return whole
    }

    /// Searches by encoding a still image.
    ///
    /// - Parameter deadlineShare: the time that must be left for another try, in those of one try.
    private func search(_ picture: FinishedPicture, deadlineShare: Double) throws -> Found {
        let frame = picture.frames[0]
        let reference = try PerceptualScore(of: Self.scored(frame))
        var options = options
        if choosesSharpYUV { options.webp.useSharpYUV = reference.traits?.hasFineColours == true }
        let model = QualityModel.of(coder.format, sharpYUV: options.usesSharpYUV)
        var steps =
            isRefined
            ? QualitySteps(model: model, from: options.quality, target: target, tolerance: Self.closeness)
            : QualitySteps(model: model, traits: reference.traits, target: target)
        let time = SystemTime()
        var best: Found?
        var isTimeLeft = true
        while let quality = steps.next, isTimeLeft {
            let start = time.monotonic
            guard let tried = try encoded(picture, options.with(quality: quality), reference), let score = tried.score
            else { break }
            steps.note(score)
            if steps.best == quality { best = tried }
            let cost = Double(time.monotonic - start)
            // One and a half, since a higher quality takes longer.
            isTimeLeft = Double(options.deadline.left) >= 1.5 * cost * deadlineShare
        }
        guard var best else { return Found(encoded: try coder.encode(picture, options), options: options) }
        best.tries = steps.tries
        let isReached = best.score ?? target >= target - steps.tolerance
        return isReached || !choosesSharpYUV || !isTimeLeft || best.tries == QualitySteps.most
            ? best : try better(than: best, picture, reference)
    }

    /// Encodes a WebP that cannot reach the target the other way, with `sharp_yuv` or without, and returns the better result.
    private func better(
        than found: Found,
        _ picture: FinishedPicture,
        _ reference: PerceptualScore
    ) throws -> Found {
        var (other, found) = (found.options, found)
        other.webp.useSharpYUV.toggle()
        found.tries += 1
        guard var tried = try encoded(picture, other, reference), tried.score ?? 0 > found.score ?? 0 else {
            return found
        }
        tried.tries = found.tries
        return tried
    }

    /// Encodes once, and scores the result; `nil` if there is not enough memory to decode it.
    private func encoded(
        _ picture: FinishedPicture,
        _ options: EncodingOptions,
        _ reference: PerceptualScore
    ) throws -> Found? {
        try options.deadline.check()
        let encoded = try coder.encode(picture, options)
        return try measured(encoded, against: reference).map { Found(encoded: encoded, options: options, score: $0) }
    }

    /// Whether the search decides about `sharp_yuv`: for WebPs without it, but not for second encodings, which try both.
    private var choosesSharpYUV: Bool { coder.format == .webp && !isRefined && !options.usesSharpYUV }

    private static func isLargeEnough(_ frame: Raster) -> Bool { min(frame.width, frame.height) >= shortestSide }

    /// Returns the score of an encoded image; `nil` if there is not enough memory to decode it.
    private func measured(_ encoded: EncodedPicture, against reference: PerceptualScore) throws -> Double? {
        do {
            return try reference.score(of: Self.scored(coder.decode(encoded)))
        } catch _ as VipsError {
            try options.deadline.check()
            return nil
        }
    }

    /// Returns the part of a still image that is scored: a sample of a large one.
    private static func scored(_ frame: Raster) throws -> Raster {
        frame.width * frame.height > SampleSheet.largestWhole ? try SampleSheet.make(of: [frame]) : frame
    }

    /// Returns the score of an encoded still image.
    ///
    /// - Parameter picture: the image before encoding, in memory.
    /// - Returns: `nil` if it is too small to be scored, or if there is not enough memory to decode it.
    /// - Throws: the errors of decoding.
    static func score(
        of encoded: EncodedPicture,
        from picture: FinishedPicture,
        _ coder: any Coder
    ) throws -> Double? {
        let frame = picture.frames[0]
        guard isLargeEnough(frame) else { return nil }
        do {
            return try PerceptualScore(of: scored(frame)).score(of: scored(coder.decode(encoded)))
        } catch _ as VipsError {
            return nil
        }
    }
}

extension Coder {
    /// Decodes a still image that this coder has encoded.
    fileprivate func decode(_ encoded: EncodedPicture) throws -> Raster {
        let mapping = try encoded.withBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes)
        }
        return try withExtendedLifetime(mapping) {
            try open(mapping, DecodingOptions()).convertedToSRGB(nil).inMemory()
        }
    }
}

extension PerceptualScore {
    /// Creates the reference from an 8-bit RGB or RGBA image in memory.
    init(of raster: Raster) throws(VipsError) {
        self = try raster.withPixels { pixels in
            PerceptualScore(of: pixels, width: raster.width, height: raster.height, bands: raster.bands)
        }
    }

    /// Returns the score of an 8-bit RGB or RGBA image in memory of the same size.
    func score(of raster: Raster) throws(VipsError) -> Double {
        try raster.withPixels { pixels in self(of: pixels, bands: raster.bands) }
    }
}
