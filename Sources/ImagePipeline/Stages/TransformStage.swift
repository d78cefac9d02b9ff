import ImagePlan

/// Stage 7: what a worker is asked, and what is kept of its answer.
enum TransformStage {
    /// The job of one variant.
    static func job(
        request: VariantRequest,
        plan: String,
        header: ImageHeader,
        body: OriginBody,
        priority: TransformJob.Priority
    ) -> TransformJob {
        let source = request.origin.source
        return TransformJob(
            source: body.file,
            length: body.length,
            header: header,
            outputs: [output(of: request, plan: plan)],
            maximumPixels: source.limits.pixels,
            maximumFrames: source.limits.frames,
            timeoutMilliseconds: source.timeouts.transform,
            priority: priority
        )
    }

    /// What a worker is to make for a request.
    static func output(of request: VariantRequest, plan: String) -> WorkerJob.Output {
        WorkerJob.Output(plan: plan, bucket: request.bucket ?? .rest, quality: request.origin.source.quality)
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
