import ImagePlan
import LinuxSystem

/// Encodes one output: at its quality or the one that `q=auto` finds, in its format or the smallest of several.
struct OutputEncoder {
    let plan: Plan
    let output: WorkerJob.Output
    let deadline: Deadline

    /// A picture encoded, and how.
    struct Encoded {
        var format: ImageFormat
        var picture: EncodedPicture
        /// `nil` for what loses nothing.
        var quality: Int?
        /// Encodes of a search for the quality.
        var tries = 0
    }

    /// Encodes in the smallest of some formats, the first of which is the one to fall back to.
    ///
    /// - Throws: as the coders.
    func encode(_ picture: FinishedPicture, among formats: [ImageFormat]) throws -> Encoded {
        guard output.search.takesSmallest, let first = formats.first, formats.count > 1,
            picture.byteCount <= DistanceSearch.mostHeld
        else {
            return try encode(picture, EncodingTrial(formats[0]))
        }
        let computed = try picture.inMemory(deadline)
        let trials = try trials(of: computed.frames[0], formats)
        let time = SystemTime()
        var best: Encoded?
        var refusal: (any Error)?
        var dearest: Int64 = 0
        for trial in trials {
            // One that is made is given where time is short, whatever another might have saved.
            if best != nil, deadline.left < 3 * dearest { break }
            let start = time.monotonic
            do {
                let made = try encode(computed, trial)
                if made.picture.count < best?.picture.count ?? .max { best = made }
            } catch let error as RequestError {
                // max_bytes, which another format may meet.
                refusal = error
            } catch let failure as WorkerReply.Failure {
                // An encoder that needs less memory may make what this one cannot.
                guard case .refused = failure else { throw failure }
                refusal = failure
            }
            dearest = max(dearest, time.monotonic - start)
        }
        if let best { return best }
        if let refusal { throw refusal }
        return try encode(computed, EncodingTrial(first))
    }

    /// What is tried: lossy encodings, and for drawings lossless ones too.
    private func trials(of frame: Raster, _ formats: [ImageFormat]) throws -> [EncodingTrial] {
        let isLossless = plan.settings.encoding.isLossless
        let isDrawing = try frame.isDrawing()
        var trials = formats.flatMap { format -> [EncodingTrial] in
            guard EncodingSearch.formats.contains(format), !isLossless else {
                return [EncodingTrial(format, isLossless: isLossless)]
            }
            // Number for number a drawing's edges would suffer first: it must look alike, unless a quality is asked for.
            let lossy = EncodingTrial(format, seeksQuality: isDrawing && plan.settings.quality == nil)
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
            throw WorkerReply.Failure.unsupported("\(trial.format) is not encoded here")
        }
        var options = EncodingOptions(plan, output.quality, format: trial.format, deadline: deadline)
        if trial.isLossless { options.isLossless = true }
        let hasQuality = coder.hasQuality && !options.isLossless
        let seeksQuality = plan.settings.seeksQuality || trial.seeksQuality
        guard hasQuality, seeksQuality, picture.byteCount <= DistanceSearch.mostHeld else {
            let encoded = try coder.encodeWithinBounds(picture, options)
            return Encoded(
                format: trial.format,
                picture: encoded,
                quality: hasQuality ? options.quality : nil
            )
        }
        let computed = try picture.inMemory(deadline)
        let target = Double(output.quality.distance) / Double(QualityDefaults.standardDistance)
        let found = try DistanceSearch(coder: coder, options: options, target: target).run(computed)
        var encoded = found.encoded
        if let maximum = options.settings.maximumBytes, encoded.count > maximum {
            encoded = try coder.encodeWithinBounds(computed, options.with(quality: found.quality))
        }
        return Encoded(format: trial.format, picture: encoded, quality: found.quality, tries: found.tries)
    }
}

/// One way to encode a picture.
struct EncodingTrial: Equatable {
    var format: ImageFormat
    /// Without loss where the format has both.
    var isLossless = false
    /// At the lowest quality that looks alike, although the plan does not say so.
    var seeksQuality = false

    init(_ format: ImageFormat, isLossless: Bool = false, seeksQuality: Bool = false) {
        self.format = format
        self.isLossless = isLossless
        self.seeksQuality = seeksQuality
    }
}

extension FinishedPicture {
    /// Bytes of the pixels of all frames.
    fileprivate var byteCount: Int { frames.reduce(0) { $0 + $1.width * $1.height * $1.bands } }
}

extension Raster {
    /// Whether an 8-bit picture in memory has few colours, or is mostly flat: then what loses nothing may be the smallest.
    fileprivate func isDrawing() throws(VipsError) -> Bool {
        if try isMostlyFlat() { return true }
        return try !Palette(of: self).isTooLarge
    }
}
