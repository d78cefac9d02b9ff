import HTTPSemantics
import HTTPCache
import ImagePlan

/// Stage 7: builds jobs for workers and records of their results.
enum TransformStage {
    /// Whether a variant's job also makes the original's placeholder.
    static func wantsPlaceholder(_ request: VariantRequest, plan: String, of origin: OriginRecord) -> Bool {
        request.origin.source.placeholder == .headers && origin.placeholder == nil && plan != MetadataCleaner.planText
    }

    /// Creates a background job for the original's placeholder alone.
    static func placeholderJob(request: VariantRequest, header: ImageHeader, body: OriginBody) -> TransformJob {
        job(of: request.origin, outputs: [placeholderOutput(request)], header: header, body: body, priority: .low)
    }

    /// Returns the placeholder in a job's result, if it was requested.
    static func placeholder(of made: TransformResult) -> Placeholder? {
        made.pictures.count > 1 ? Placeholder(text: made.pictures[1].bytes) : nil
    }

    /// Creates the job output for the original's placeholder.
    static func placeholderOutput(_ request: VariantRequest) -> WorkerJob.Output {
        WorkerJob.Output(plan: Placeholder.planText, bucket: .rest, quality: request.origin.source.quality)
    }

    /// Creates a job for several outputs of one original.
    static func job(
        of request: OriginRequest,
        outputs: [WorkerJob.Output],
        header: ImageHeader,
        body: OriginBody,
        priority: TransformJob.Priority
    ) -> TransformJob {
        let source = request.source
        var message = WorkerJob()
        message.sourceLength = body.length
        message.outputs = outputs
        message.maximumPixels = source.limits.pixels
        message.maximumSourceLength = source.limits.sourceBytes
        message.animation = source.animation
        message.unwritten = source.formats.unwritten
        message.deadlineMilliseconds = source.timeouts.transform
        var job = TransformJob(source: body.file, header: header, message: message, priority: priority)
        job.domain = source.trustDomain(of: request.target)
        job.title.source = source.name
        job.title.url = request.text
        job.title.plans = outputs.map(\.plan)
        return job
    }

    /// Creates the job output for a request.
    ///
    /// - Parameters:
    ///   - bucket: the format bucket; `nil` for the request's own.
    ///   - search: the search for the encoding.
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

    /// Creates the record of a worker's result; the digest is computed here, not by the worker.
    static func record(
        of picture: TransformResult.Picture,
        request: VariantRequest,
        plan: String,
        origin: OriginRecord
    ) -> VariantRecord {
        var record = VariantRecord(
            key: request.key,
            origin: request.origin.key,
            originDigest: origin.digest,
            plan: request.label(plan: plan),
            presets: request.presets,
            format: picture.description.format,
            width: picture.description.width,
            height: picture.description.height,
            frames: picture.description.frames,
            length: picture.bytes.count,
            digest: CacheKey(hashing: picture.bytes)
        )
        if let found = picture.description.found { record.found = found }
        return record
    }
}
