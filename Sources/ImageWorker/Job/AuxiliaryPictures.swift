import ImagePlan

/// The other originals of a job, such as watermarks, each decoded once per size that the steps need.
///
/// Confined to the worker's only job thread.
final class AuxiliaryPictures {
    private struct Source {
        let decoder: Result<SourceDecoder, WorkerReply.Failure>
        let maximumPixels: Int
    }

    private struct Key: Hashable {
        var name: String
        var size: PixelSize
    }

    private let sources: [String: Source]
    private let deadline: Deadline
    private var pictures: [Key: Raster] = [:]

    /// Creates decoders without opening anything; the mappings must outlive this object and its rasters.
    init(_ auxiliaries: [WorkerJob.Auxiliary], _ mappings: [SourceMapping], _ deadline: Deadline) throws {
        guard auxiliaries.count == mappings.count else {
            throw WorkerReply.Failure.worker("an auxiliary image is missing")
        }
        var sources: [String: Source] = [:]
        for (auxiliary, mapping) in zip(auxiliaries, mappings) {
            let decoder = Result { () throws(WorkerReply.Failure) in
                try SourceDecoder(mapping, format: auxiliary.format.expanded)
            }
            sources[auxiliary.name] = Source(decoder: decoder, maximumPixels: auxiliary.maximumPixels)
        }
        self.sources = sources
        self.deadline = deadline
    }

    /// Returns an original's first frame in memory, upright and in sRGB with alpha.
    ///
    /// - Parameters:
    ///   - step: the name of the step that needs it, for errors.
    ///   - size: returns the wanted size for the original's upright size.
    /// - Throws: `WorkerReply.Failure`, which names the step.
    func picture(
        _ path: AuxiliaryPath,
        for step: String,
        size: (_ own: PixelSize) -> PixelSize
    ) throws(WorkerReply.Failure) -> Raster {
        do {
            return try load(path.text, size)
        } catch let failure as WorkerReply.Failure {
            throw failure.named(step)
        } catch {
            if deadline.hasPassed { throw .deadline }
            throw .broken("\(step): \(error)", parameter: step)
        }
    }

    private func load(_ name: String, _ size: (PixelSize) -> PixelSize) throws -> Raster {
        guard let source = sources[name] else { throw WorkerReply.Failure.worker("an auxiliary image is missing") }
        let decoder = try source.decoder.get()
        let facts = try decoder.facts()
        guard facts.decodedPixels <= source.maximumPixels else {
            throw WorkerReply.Failure.refused("\(facts.decodedPixels) pixels; the limit is \(source.maximumPixels)")
        }
        let wanted = size(facts.orientedSize)
        let key = Key(name: name, size: wanted)
        if let known = pictures[key] { return known }
        let made = try draw(decoder, facts, wanted, maximumPixels: source.maximumPixels)
        pictures[key] = made
        return made
    }

    /// Loads an image as small as possible and scales it to a size.
    private func draw(
        _ decoder: SourceDecoder,
        _ facts: SourceDecoder.Facts,
        _ size: PixelSize,
        maximumPixels: Int
    ) throws -> Raster {
        let plan = Plan(steps: [ResizeStep(width: size.width, height: size.height, fit: .fill, enlarge: true)])
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: .max)
        let maker = OutputMaker(
            decoder: decoder,
            facts: facts,
            output: .init(plan: plan.canonicalText, bucket: .rest, quality: QualityDefaults()),
            maximumPixels: maximumPixels,
            limits: AnimationLimits(frames: 1, pixels: .max, givesOriginals: false),
            deadline: deadline
        )
        var canvas = try maker.load(plan, steps, .png, .still(frame: 0)).0
        try maker.apply(steps, of: plan, to: &canvas)
        try canvas.settle()
        try deadline.check()
        deadline.watch(canvas.frames[0])
        return try canvas.frames[0].withAlpha().inMemory()
    }
}

extension WorkerReply.Failure {
    /// Returns the failure with the step's name in it.
    fileprivate func named(_ step: String) -> WorkerReply.Failure {
        switch self {
        case .unsupported(let text): .unsupported("\(step): \(text)")
        case .broken(let text, _): .broken("\(step): \(text)", parameter: step)
        case .refused(let text, _): .refused("\(step): \(text)", parameter: step)
        case .worker(let text): .worker("\(step): \(text)")
        case .deadline, .cancelled: self
        }
    }
}
