import HTTPCache
import ImagePlan

/// Stage 7: what a worker is asked, and what is kept of its answer.
enum TransformStage {
    /// Whether the original's placeholder is to be made along with a variant.
    static func wantsPlaceholder(_ request: VariantRequest, plan: String, of origin: OriginRecord) -> Bool {
        request.origin.source.placeholder == .headers && origin.placeholder == nil && plan != MetadataCleaner.planText
    }

    /// The job of an original's placeholder alone: whoever asked has been answered.
    static func placeholderJob(request: VariantRequest, header: ImageHeader, body: OriginBody) -> TransformJob {
        job(request: request, outputs: [placeholderOutput(request)], header: header, body: body, priority: .low)
    }

    /// What a worker has told of the original beside the picture, if it was asked.
    static func placeholder(of made: TransformResult) -> Placeholder? {
        made.pictures.count > 1 ? Placeholder(text: made.pictures[1].bytes) : nil
    }

    /// What a worker is to make for the original's placeholder.
    static func placeholderOutput(_ request: VariantRequest) -> WorkerJob.Output {
        WorkerJob.Output(plan: Placeholder.planText, bucket: .rest, quality: request.origin.source.quality)
    }

    /// The job of some outputs of one original.
    static func job(
        request: VariantRequest,
        outputs: [WorkerJob.Output],
        header: ImageHeader,
        body: OriginBody,
        priority: TransformJob.Priority
    ) -> TransformJob {
        let source = request.origin.source
        var message = WorkerJob()
        message.sourceLength = body.length
        message.outputs = outputs
        message.maximumPixels = source.limits.pixels
        message.maximumSourceLength = source.limits.sourceBytes
        message.animation = source.animation
        message.deadlineMilliseconds = source.timeouts.transform
        return TransformJob(source: body.file, header: header, message: message, priority: priority)
    }

    /// What a worker is to make for a request.
    ///
    /// - Parameters:
    ///   - bucket: the one that it is to answer; `nil` for the request's own.
    ///   - search: what is to be found of the encoding.
    static func output(
        of request: VariantRequest,
        plan: String,
        bucket: FormatBucket? = nil,
        search: EncodingSearch = EncodingSearch()
    ) -> WorkerJob.Output {
        WorkerJob.Output(
            plan: plan,
            bucket: bucket ?? request.bucket ?? .rest,
            quality: request.quality,
            search: search
        )
    }

    /// The record of a picture that a worker made; its digest is computed here, in the daemon.
    static func record(
        of picture: TransformResult.Picture,
        request: VariantRequest,
        plan: String,
        origin: OriginRecord
    ) -> VariantRecord {
        VariantRecord(
            key: request.key,
            origin: request.origin.key,
            originDigest: origin.digest,
            plan: request.bucket.map { "\(plan) \($0.name)" } ?? plan,
            presets: request.presets,
            format: picture.description.format,
            width: picture.description.width,
            height: picture.description.height,
            frames: picture.description.frames,
            length: picture.bytes.count,
            digest: CacheKey(hashing: picture.bytes)
        )
    }
}
