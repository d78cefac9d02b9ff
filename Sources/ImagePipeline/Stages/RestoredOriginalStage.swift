import HTTPCache
import ImagePlan
import LinuxSystem

/// Restores the content of JPEG originals that are stored as JPEG XL (`serialize: jxl`), after the disk, and before other nodes and the
/// origin are asked.
///
/// The restored content is not stored again: the requests that share the flight use it.
struct RestoredOriginalStage: Sendable {
    let store: OriginalStore
    let request: CacheRequest<OriginRequest>

    private var parts: PipelineParts { store.parts }

    /// The key of the copy that is stored in place of an original's content.
    static func key(ofCopyOf origin: CacheKey) -> CacheKey { CacheKey(hashing: "\(plan)\n\(origin)") }

    /// The plan in the records of copies.
    static let plan = "lossless/1"

    /// Returns the JPEG XL of an original whose content is needed, and not stored; on the read lane.
    func copy(insteadOf stored: StoredResponse?) -> OriginBody? {
        guard request.needsBody, let stored, case .evicted = stored.content, let record = stored.original?.record,
            record.header.format == .jpeg, let copy = parts.disk?.variant(Self.key(ofCopyOf: record.key)),
            Self.isCopy(copy.record, of: record)
        else { return nil }
        return OriginBody(file: copy.file, length: copy.record.length, digest: copy.record.digest)
    }

    /// Whether a copy is stored from which an original's content can be restored; blocks.
    static func hasCopy(of record: OriginRecord, in parts: PipelineParts) -> Bool {
        guard record.header.format == .jpeg, let copy = parts.disk?.peek(variant: key(ofCopyOf: record.key)) else {
            return false
        }
        return isCopy(copy.record, of: record)
    }

    private static func isCopy(_ copy: VariantRecord, of record: OriginRecord) -> Bool {
        copy.originDigest == record.digest && copy.format == .picture(.jxl)
    }

    /// Restores the content.
    ///
    /// A copy from which other bytes come is removed.
    /// - Parameter completion: called on the read lane with the original and its content; without the content if it cannot be
    ///   restored now.
    func restore(
        _ stored: StoredResponse,
        from copy: OriginBody,
        completion: @escaping @Sendable (StoredResponse) -> Void
    ) {
        guard let original = stored.original else { return completion(stored) }
        let record = original.record
        var header = record.header
        header.format = .jxl
        var job = TransformStage.job(
            of: request.origin,
            outputs: [
                WorkerJob.Output(
                    plan: OriginalTranscoding.restoringPlanText(length: record.length),
                    bucket: .rest,
                    quality: request.origin.source.quality
                )
            ],
            header: header,
            body: copy,
            priority: store.flight.priority
        )
        job.account = request.account
        job.claims = store.flight.claims
        job.deadline = request.deadline
        store.flight.enter(.transform)
        let handle = parts.transformer.transform(job) { [self] result in
            guard !store.flight.isOver else { return }
            let isTaken = parts.readLane.submit { [self] in
                completion(body(of: result, record, copy).map { StoredResponse(original, $0) } ?? stored)
            }
            if !isTaken {
                store.flight.finish(.failure(.diskQueueFull))
            }
        }
        store.flight.onChange { handle.waitersChanged() }
        store.flight.onAbandon(unless: { false }, cancel: { handle.cancel() })
    }

    private func body(
        of result: Result<TransformResult, PipelineError>,
        _ record: OriginRecord,
        _ copy: OriginBody
    ) -> OriginBody? {
        switch result {
        case .success(let made):
            guard let picture = made.pictures.first, picture.bytes.count == record.length else { break }
            guard let body = parts.body(picture.bytes) else { return nil }
            if body.digest == record.digest { return body }
        case .failure(let error):
            guard error.traits.isPermanent else { return nil }
        }
        parts.disk?.drop(variant: Self.key(ofCopyOf: record.key), digest: copy.digest)
        return nil
    }
}
