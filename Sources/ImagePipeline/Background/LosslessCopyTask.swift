import HTTPCache
import HTTPSemantics
import ImagePlan

/// Makes the lossless copy of an original after it was used, and drops the original's body once the copy is on disk
/// (SDWebImage: `CacheSerializer`).
///
/// Starts on any thread, continues on the read lane and ends on the read lane. After any failure the body stays. The task's flight
/// prevents it from publishing purged content.
final class LosslessCopyTask: Sendable {
    private let request: VariantRequest
    private let plan: String
    private let origin: OriginRecord
    private let parts: PipelineParts
    private let failed: FailedCopies
    private let flight: Flight<Answer, PipelineError>

    private var stage: LosslessCopyStage { LosslessCopyStage(parts: parts) }

    /// - Parameters:
    ///   - plan: what the worker makes.
    ///   - origin: the original's record when it was used.
    ///   - failed: the bodies of which no copy can be made.
    init(
        request: VariantRequest,
        plan: String,
        origin: OriginRecord,
        parts: PipelineParts,
        failed: FailedCopies,
        flight: Flight<Answer, PipelineError>
    ) {
        self.request = request
        self.plan = plan
        self.origin = origin
        self.parts = parts
        self.failed = failed
        self.flight = flight
    }

    /// The plan with which a worker makes the copy of an original that a request has used; `nil` if none should be made.
    static func plan(after request: VariantRequest, _ origin: OriginRecord, in parts: PipelineParts) -> String? {
        guard parts.tiers.writesDisk else { return nil }
        let stage = LosslessCopyStage(parts: parts)
        if origin.header.format == .jpeg {
            let isWorthwhile = origin.length >= OriginalTranscoding.minimumBytes
            return isWorthwhile && stage.storesJPEGXL(of: request.origin)
                ? OriginalTranscoding.planText(isClean: false) : nil
        }
        // Other plans need the body, which the next variant drops.
        guard stage.mayServe(request), LosslessCopy.isWorthwhile(for: origin.header, length: origin.length)
        else { return nil }
        // The worker holds the original and the copy while it compares them.
        let bytes = request.origin.source.limits.decodeBytes / 2
        guard DecodeBudget.refusal(of: origin.header.size, loadedSmallerBy: 1, within: bytes) == nil else { return nil }
        return LosslessCopy.planText(for: origin.header)
    }

    /// Starts the task.
    func start() {
        if !parts.readLane.submit({ self.find() }) { end() }
    }

    private func find() {
        guard case .file(let body)? = OriginalStore.find(request.origin, in: parts)?.content,
            body.digest == origin.digest
        else { return end() }
        // Another variant may have had the copy made, and a request for the bare original may have stored its body again.
        if stage.isStored(of: origin) { return replace(isNew: false) }
        let job = TransformStage.job(
            of: request.origin,
            outputs: [TransformStage.output(of: request, plan: plan)],
            header: origin.header,
            body: body,
            priority: parts.transformer.hasBackground ? .background : .low
        )
        _ = parts.transformer.transform(job) { [self] result in
            switch result {
            case .success(let made):
                guard let picture = made.pictures.first, picture.bytes.count < origin.length else { return giveUp() }
                _ = flight.publish(of: origin) { stage.keep(picture, of: origin) }
                replace(isNew: true)
            case .failure(let error):
                if error.traits.isPermanent || error == .transformTimeout { giveUp() } else { end() }
            }
        }
    }

    /// Drops the body once the copy, and the body, are on disk.
    ///
    /// - Parameter isNew: whether this task has made the copy; if that was not stored, it is not tried again. One that was found may
    ///   have been removed since.
    private func replace(isNew: Bool) {
        guard let disk = parts.disk else { return end() }
        disk.flush { [self] in
            let isTaken = parts.readLane.submit { [self] in
                guard stage.isStored(of: origin) else { return isNew ? giveUp() : end() }
                _ = flight.publish(of: origin) { disk.dropBody(ofOrigin: origin.key, digest: origin.digest) }
                end()
            }
            if !isTaken { end() }
        }
    }

    private func giveUp() {
        failed.insert(origin.digest)
        end()
    }

    private func end() { flight.finish(.failure(.cancelled)) }
}
