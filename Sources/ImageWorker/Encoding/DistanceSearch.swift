import CVips
import ImagePlan
import LinuxSystem

/// Finds the lowest quality with a small enough perceptual distance by encoding, decoding and comparing a few times (`q=auto`).
struct DistanceSearch {
    let coder: any Coder
    /// The options; the search begins at their quality.
    let options: EncodingOptions
    /// The largest allowed distance (`PerceptualDistance`).
    let target: Double

    /// The maximum number of bytes of pixels that a search may hold; larger images are encoded at the starting quality.
    static let mostHeld = 256 << 20

    /// The result of a search.
    struct Found {
        var encoded: EncodedPicture
        var quality: Int
        /// The number of encodes that were compared.
        var tries: Int
    }

    /// Searches for the quality and encodes the whole image.
    ///
    /// Large images and animations are compared by a sample and encoded once. If time is short, the first good quality is used.
    /// - Parameter picture: an image in memory.
    /// - Throws: the errors of encoding and decoding.
    func run(_ picture: FinishedPicture) throws -> Found {
        let frame = picture.frames[0]
        guard min(frame.width, frame.height) >= PerceptualDistance.shortestSide else {
            return Found(encoded: try coder.encode(picture, options), quality: options.quality, tries: 0)
        }
        let isWhole = picture.animation == nil && frame.width * frame.height <= SampleSheet.largestWhole
        let sample =
            isWhole
            ? picture
            : FinishedPicture(
                frames: [try SampleSheet.make(of: picture.frames)],
                animation: nil,
                filter: MetadataFilter(policy: .strip)
            )
        let pixels = sample.frames[0]
        let reference = try PerceptualDistance(of: pixels)
        let cheap = coder.searching(options)
        // A try is the final result if it covered the whole image at full effort.
        let isFinal = isWhole && cheap.settings.effort == options.settings.effort
        let factor = Double(frame.width * frame.height * picture.frames.count) / Double(pixels.width * pixels.height)

        let time = SystemTime()
        var bracket = QualityBracket(target: target, from: options.quality)
        var best: EncodedPicture?
        while !bracket.isOver {
            try options.deadline.check()
            let start = time.monotonic
            let quality = bracket.next
            let encoded = try coder.encode(sample, cheap.with(quality: quality))
            bracket.note(try reference(to: encoded, coder))
            if bracket.result == quality { best = encoded }
            let cost = Double(time.monotonic - start)
            // The time for another try and twice the expected time of the final encode.
            let rest = cost + (isFinal ? cost : cost * factor * (options.settings.effort == nil ? 2 : 8))
            if Double(options.deadline.left) < rest { break }
        }
        let quality = bracket.result
        if isFinal, bracket.isFound, let best {
            return Found(encoded: best, quality: quality, tries: bracket.tries)
        }
        let encoded = try coder.encode(picture, options.with(quality: quality))
        return Found(encoded: encoded, quality: quality, tries: bracket.tries)
    }
}

extension Coder {
    /// Returns the options of a search, with less effort where that overestimates the distance.
    ///
    /// At equal quality, AVIF at effort 1 has a larger distance than at higher ones, in a fraction of their time. Effort 0 has another
    /// tuning, and JPEG XL's efforts err in both directions.
    fileprivate func searching(_ options: EncodingOptions) -> EncodingOptions {
        guard format == .avif, let effort = options.settings.effort, effort > 1 else { return options }
        var options = options
        options.settings.effort = 1
        return options
    }
}

extension PerceptualDistance {
    /// Creates the reference for comparisons from an 8-bit RGB or RGBA image in memory.
    init(of raster: Raster) throws(VipsError) {
        self = try raster.withPixels { pixels in
            PerceptualDistance(of: pixels, width: raster.width, height: raster.height, bands: raster.bands)
        }
    }

    /// Returns the distance of an encoded still image.
    fileprivate func callAsFunction(to encoded: EncodedPicture, _ coder: any Coder) throws -> Double {
        let mapping = try encoded.withBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes)
        }
        return try withExtendedLifetime(mapping) {
            let decoded = try coder.open(mapping, DecodingOptions()).convertedToSRGB(nil).inMemory()
            return try decoded.withPixels { pixels in self(to: pixels, bands: decoded.bands) }
        }
    }
}
