import ImagePlan

/// The estimated time that a worker takes for a job, from its header and plans.
///
/// It includes decoding, all steps and all encoders. The factors are approximate; `CostCorrection` adjusts them to what jobs took.
struct JobEstimate: Hashable, Sendable {
    /// Nanoseconds, at least `base`, at most the job's own time limit.
    var nanoseconds: Int64
    var kind: CostKind

    /// Nanoseconds of a job that does nothing.
    static let base: Int64 = 1_000_000
    /// Nanoseconds per unit of `CostEstimate.work`.
    private static let workUnit: Int64 = 5
    /// Nanoseconds per pixel of encoding a lossless copy.
    private static let copiedPixel: Int64 = 100
    /// Nanoseconds per pixel of encoding a mezzanine.
    private static let mezzaninePixel: Int64 = 5
    /// Nanoseconds per pixel of transcoding a JPEG, and of restoring it.
    private static let transcodedPixel: Int64 = 40

    /// Creates an estimate from its parts.
    init(nanoseconds: Int64, kind: CostKind) {
        self.nanoseconds = nanoseconds
        self.kind = kind
    }

    /// Estimates a job.
    ///
    /// - Parameter job: the job; its header is that of the original, also if a mezzanine replaces that.
    init(of job: TransformJob) {
        var decoding: Int64 = 0
        var others: Int64 = 0
        var costliest: (nanoseconds: Int64, kind: CostKind)?
        for output in job.outputs {
            let part = Part(of: output, of: job)
            // The outputs of a job share one decode.
            decoding = max(decoding, part.decoding)
            others += part.others
            if part.decoding + part.others >= costliest?.nanoseconds ?? 0 {
                costliest = (part.decoding + part.others, part.kind)
            }
        }
        let limit = max(1, Int64(job.deadlineMilliseconds)) * 1_000_000
        nanoseconds = min(limit, Self.base + decoding + others)
        kind =
            costliest?.kind
            ?? CostKind(source: job.header.format, output: .source, bucket: .rest, steps: .none)
    }

    /// The cost of one output.
    private struct Part {
        var decoding: Int64
        var others: Int64
        var kind: CostKind

        init(of output: WorkerJob.Output, of job: TransformJob) {
            let header = job.header
            let text = PictureDescription.reading(output.plan).canonicalText
            guard let plan = try? Plan(canonicalText: text),
                let cost = try? CostEstimate(
                    of: plan,
                    header: header,
                    format: Self.format(of: plan, header),
                    maximumPixels: .max
                )
            else {
                let isClean = output.plan == MetadataCleaner.planText
                let frames = header.format.decodesAnimation ? max(1, header.frames) : 1
                let pixels = isClean ? 0 : header.width.multipliedSaturated(by: header.height)
                if let mezzanine = Mezzanine(planText: output.plan) {
                    // It is made of what the other outputs need.
                    let reduced = pixels / (mezzanine.factor * mezzanine.factor)
                    decoding = decodingTime(of: job, decoded: header.format == .jpeg ? reduced : pixels)
                    others = bounded(reduced) * mezzaninePixel
                } else {
                    decoding = decodingTime(of: job, decoded: pixels.multipliedSaturated(by: frames))
                    let isCopy = LosslessCopy.orientation(inPlan: output.plan) != nil
                    let isTranscoded = OriginalTranscoding.isStated(inPlan: output.plan)
                    let copied: Int64 = isTranscoded ? transcodedPixel : copiedPixel
                    others = isCopy || isTranscoded ? bounded(pixels) * copied : base
                }
                kind = CostKind(source: header.format, output: .source, bucket: .rest, steps: .none)
                return
            }
            let keepsGainMap = plan.keepsGainMap(of: header)
            let encoding = EncodingCost.milliseconds(
                of: plan.settings,
                pixels: cost.encodedPixels,
                bucket: keepsGainMap ? .rest : output.bucket,
                quality: output.quality,
                search: output.search
            )
            let rendered = header.format.isVector ? max(cost.encodedPixels, plan.steps.isEmpty ? 1_000_000 : 0) : 0
            decoding = decodingTime(of: job, decoded: max(cost.decodedPixels, rendered))
            others = bounded(cost.work) * workUnit + min(Int64(encoding), 1 << 32) * 1_000_000
            // A gain map has half the picture's sides at most in common files.
            if keepsGainMap {
                decoding += decoding / 4
                others += others / 4
            }
            let isHeavy = cost.work > 16.multipliedSaturated(by: max(1, cost.decodedPixels))
            kind = CostKind(
                source: header.format,
                output: plan.settings.format,
                bucket: plan.settings.format == .auto ? output.bucket : .rest,
                steps: plan.steps.isEmpty ? .none : isHeavy ? .heavy : .light
            )
        }

        /// The format that decides whether all frames are encoded.
        private static func format(of plan: Plan, _ header: ImageHeader) -> ImageFormat {
            guard header.frames > 1, plan.settings.animation.stillFrame == nil, !plan.settings.format.isMetadata else {
                return .jpeg
            }
            return plan.settings.format.image ?? .webp
        }
    }

    /// Returns the nanoseconds of decoding a job's source.
    ///
    /// - Parameter decoded: the pixels after shrink-on-load, over all frames.
    private static func decodingTime(of job: TransformJob, decoded: Int) -> Int64 {
        let format = job.header.format
        let factor = max(1, job.message.reduction?.factor ?? 1)
        let stored = job.header.width.multipliedSaturated(by: job.header.height) / (factor * factor)
        let pixels = factor > 1 ? min(decoded, stored) : decoded
        // A JPEG that is loaded smaller has all its coefficients read.
        let read = format == .jpeg ? bounded(stored) * 3 : 0
        return read + bounded(pixels) * format.decodedPixel + (format.isVector ? vectorBase : 0)
    }

    /// Nanoseconds of parsing a vector image.
    private static let vectorBase: Int64 = 4_000_000

    /// The largest count that is multiplied; beyond it, every job is at its time limit.
    private static func bounded(_ count: Int) -> Int64 { Int64(min(max(0, count), 1 << 40)) }
}

extension ImageFormat {
    /// Whether images of the format are rendered, at any size.
    fileprivate var isVector: Bool { self == .svg || self == .svgz || self == .pdf }

    /// Nanoseconds of decoding one pixel.
    fileprivate var decodedPixel: Int64 {
        switch self {
        case .bmp, .ico, .planes, .tiff: 3
        case .jpeg: 5
        case .gif: 8
        case .png: 15
        case .webp: 25
        case .avif, .heic, .jxl: 40
        case .jp2: 100
        case .svg, .svgz, .pdf: 60
        case .other: 15
        }
    }
}
