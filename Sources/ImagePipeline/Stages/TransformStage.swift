import ImagePlan

/// Stage 7: what a worker is asked, and what is kept of its answer.
enum TransformStage {
    /// The job of one variant; with it the original's placeholder, where the source asks for it and nobody has computed it.
    static func job(
        request: VariantRequest,
        plan: String,
        origin: OriginRecord,
        body: OriginBody,
        priority: TransformJob.Priority
    ) -> TransformJob {
        var outputs = [
            WorkerJob.Output(plan: plan, bucket: request.bucket ?? .rest, quality: request.origin.source.quality)
        ]
        if request.origin.source.placeholder == .headers, origin.placeholder == nil, plan != MetadataCleaner.planText {
            outputs.append(placeholderOutput(request))
        }
        return job(request: request, outputs: outputs, header: origin.header, body: body, priority: priority)
    }

    /// The job of an original's placeholder alone: whoever asked has been answered.
    static func placeholderJob(request: VariantRequest, header: ImageHeader, body: OriginBody) -> TransformJob {
        job(request: request, outputs: [placeholderOutput(request)], header: header, body: body, priority: .low)
    }

    /// What a worker has told of the original beside the picture, if it was asked.
    static func placeholder(of made: TransformResult) -> Placeholder? {
        made.pictures.count > 1 ? Placeholder(text: made.pictures[1].bytes) : nil
    }

    private static func placeholderOutput(_ request: VariantRequest) -> WorkerJob.Output {
        WorkerJob.Output(plan: Placeholder.planText, bucket: .rest, quality: request.origin.source.quality)
    }

    private static func job(
        request: VariantRequest,
        outputs: [WorkerJob.Output],
        header: ImageHeader,
        body: OriginBody,
        priority: TransformJob.Priority
    ) -> TransformJob {
        let source = request.origin.source
        return TransformJob(
            source: body.file,
            length: body.length,
            header: header,
            outputs: outputs,
            maximumPixels: source.limits.pixels,
            maximumFrames: source.limits.frames,
            timeoutMilliseconds: source.timeouts.transform,
            priority: priority
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
