import CVips
import ImagePlan
import LinuxSystem

/// Encodes at the lowest quality that looks alike: encodes, decodes and compares, a few times at most (`q=auto`).
struct DistanceSearch {
    let coder: any Coder
    /// The quality is where the search begins.
    let options: EncodingOptions
    /// The most distance (`PerceptualDistance`).
    let target: Double

    /// Bytes of pixels that may be held for a search; more is encoded where the search would have begun.
    static let mostHeld = 256 << 20

    /// A picture encoded, and how.
    struct Found {
        var encoded: EncodedPicture
        var quality: Int
        /// Encodes that were compared.
        var tries: Int
    }

    /// Searches, and encodes the whole picture.
    ///
    /// Large pictures and animations are compared by a sample, and encoded once. Where time is short the first good one is taken.
    /// - Parameter picture: in memory.
    /// - Throws: what encoding or decoding throws.
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
        // What was tried is the result where nothing of it was spared.
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
            // Another try, and twice what the whole picture may take at full effort.
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
    /// The options for a search, which spare effort where that errs on the safe side.
    ///
    /// AVIF at the least effort is a quarter further off than at 4 and never nearer, for the same quality and a tenth of the time.
    /// JPEG XL's efforts go either way.
    fileprivate func searching(_ options: EncodingOptions) -> EncodingOptions {
        guard format == .avif, let effort = options.settings.effort, effort > 0 else { return options }
        var options = options
        options.settings.effort = 0
        return options
    }
}

extension PerceptualDistance {
    /// Takes a picture of 8-bit RGB or RGBA that is in memory as what others are compared with.
    init(of raster: Raster) throws(VipsError) {
        self = try raster.withPixels { pixels in
            PerceptualDistance(of: pixels, width: raster.width, height: raster.height, bands: raster.bands)
        }
    }

    /// The distance of an encoded still.
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
