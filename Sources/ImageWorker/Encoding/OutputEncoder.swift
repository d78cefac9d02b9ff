import ImagePlan
import LinuxSystem

/// Encodes one output at its quality or the one that `q=auto` finds, in its format or the smallest of several.
struct OutputEncoder {
    let plan: Plan
    let output: WorkerJob.Output
    let deadline: Deadline

    /// An encoded image and how it was encoded.
    struct Encoded {
        var format: ImageFormat
        var picture: EncodedPicture
        /// The quality; `nil` for lossless results.
        var quality: Int?
        /// How many times a search for the quality encoded.
        var tries = 0
        /// The score that the search measured; `nil` without a search, or if `max_bytes` lowered the quality.
        var score: Double?
    }

    /// Encodes in each format and returns the smallest result.
    ///
    /// - Parameter formats: the formats to try; the first is used if no comparison is made.
    /// - Throws: the errors of the coders.
    func encode(_ picture: FinishedPicture, among formats: [ImageFormat]) throws -> Encoded {
        guard output.search.takesSmallest, let first = formats.first, formats.count > 1,
            picture.byteCount <= ScoreSearch.mostHeld
        else {
            return try encode(picture, EncodingTrial(formats[0]))
        }
        let computed = try picture.inMemory(deadline)
        let trials = try trials(of: computed.frames[0], formats)
        let time = SystemTime()
        var best: Encoded?
        var refusal: (any Error)?
        var longest: Int64 = 0
        for trial in trials {
            // With little time left, a finished result is returned without further tries.
            if best != nil, deadline.left < 3 * longest { break }
            let start = time.monotonic
            do {
                let made = try encode(computed, trial)
                if made.picture.count < best?.picture.count ?? .max { best = made }
            } catch let error as RequestError {
                // max_bytes, which another format may satisfy.
                refusal = error
            } catch let failure as WorkerReply.Failure {
                // Another encoder may need less memory.
                guard case .refused = failure else { throw failure }
                refusal = failure
            }
            longest = max(longest, time.monotonic - start)
        }
        if let best { return best }
        if let refusal { throw refusal }
        return try encode(computed, EncodingTrial(first))
    }

    /// Returns the encodings to try: lossy ones, and lossless ones for drawings.
    private func trials(of frame: Raster, _ formats: [ImageFormat]) throws -> [EncodingTrial] {
        let isLossless = plan.settings.encoding.isLossless
        let isDrawing = try frame.isDrawing()
        var trials = formats.flatMap { format -> [EncodingTrial] in
            guard EncodingSearch.formats.contains(format), !isLossless else {
                return [EncodingTrial(format, isLossless: isLossless)]
            }
            // Default qualities damage a drawing's edges, so search for a quality unless the request names one.
            let isStated = plan.settings.quality.number(for: format) != nil
            let lossy = EncodingTrial(format, seeksQuality: isDrawing && !isStated)
            let hasLossless = CoderRegistry.encoders[format]?.isLosslessPossible == true && format == .webp
            return isDrawing && hasLossless ? [lossy, EncodingTrial(format, isLossless: true)] : [lossy]
        }
        if !isDrawing, !isLossless, trials.contains(where: { $0.format != .png }) {
            trials.removeAll { $0.format == .png }
        }
        return trials
    }

    private func encode(_ picture: FinishedPicture, _ trial: EncodingTrial) throws -> Encoded {
        guard let coder = CoderRegistry.coder(for: trial.format) else {
            throw WorkerReply.Failure.unsupported("encoding \(trial.format) is not supported")
        }
        var options = EncodingOptions(plan, output.quality, format: trial.format, deadline: deadline)
        if trial.isLossless { options.isLossless = true }
        let hasQuality = coder.hasQuality && !options.isLossless
        let seeksQuality = plan.settings.seeksQuality || trial.seeksQuality
        guard hasQuality, seeksQuality || output.search.secondEffort != nil, picture.byteCount <= ScoreSearch.mostHeld
        else {
            let encoded = try coder.encodeWithinBounds(picture, options)
            return Encoded(
                format: trial.format,
                picture: encoded,
                quality: hasQuality ? options.quality : nil
            )
        }
        let computed = try picture.inMemory(deadline)
        var found = try first(computed, coder, options, seeksQuality: seeksQuality)
        let tries = found.tries
        if let effort = output.search.secondEffort, computed.animation == nil {
            found = try SecondEncoding(coder: coder, effort: effort).run(computed, after: found, options)
        }
        return Encoded(
            format: trial.format,
            picture: found.encoded,
            quality: found.quality,
            tries: tries,
            score: seeksQuality ? found.score : nil
        )
    }

    /// Encodes with the effort of the plan.
    private func first(
        _ picture: FinishedPicture,
        _ coder: any Coder,
        _ options: EncodingOptions,
        seeksQuality: Bool
    ) throws -> ScoreSearch.Found {
        guard seeksQuality else {
            return ScoreSearch.Found(
                encoded: try coder.encodeWithinBounds(picture, options),
                options: options
            )
        }
        let distance = output.quality.distance(for: plan.settings.quality)
        var found = try ScoreSearch(coder: coder, options: options, target: QualityDefaults.score(at: distance))
            .run(picture)
        if let maximum = options.settings.maximumBytes, found.encoded.count > maximum {
            found.encoded = try coder.encodeWithinBounds(picture, found.options)
            found.score = nil
        }
        return found
    }
}

/// One way to encode an image.
struct EncodingTrial: Equatable {
    var format: ImageFormat
    /// Whether to encode losslessly in a format that also has lossy encoding.
    var isLossless = false
    /// Whether to search for a quality although the plan does not ask for it.
    var seeksQuality = false

    init(_ format: ImageFormat, isLossless: Bool = false, seeksQuality: Bool = false) {
        self.format = format
        self.isLossless = isLossless
        self.seeksQuality = seeksQuality
    }
}

extension FinishedPicture {
    /// The size of the pixels of all frames, in bytes.
    fileprivate var byteCount: Int { frames.reduce(0) { $0 + $1.width * $1.height * $1.bands } }
}

extension Raster {
    /// Whether an 8-bit image in memory has few colours or is mostly flat, so that lossless encoding may be smallest.
    fileprivate func isDrawing() throws(VipsError) -> Bool {
        if try isMostlyFlat() { return true }
        return try !Palette(of: self).isTooLarge
    }
}
