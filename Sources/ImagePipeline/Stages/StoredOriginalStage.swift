/// Stage 4: what is stored of an original; on the read lane.
struct StoredOriginalStage: Sendable {
    let parts: PipelineParts

    /// A stored original, and its bytes where they are still kept.
    struct Found: Sendable {
        var origin: OriginSnapshot
        var body: OriginBody?
    }

    /// Looks among what waits for the disk, on disk, then among what variants in memory refer to.
    ///
    /// Nothing for a source of which nothing is kept.
    func find(_ request: OriginRequest) -> Found? {
        let key = request.key
        let policy = request.source.cache
        guard !policy.keepsNothing else { return nil }
        if let recent = parts.recent.find(key) {
            let origin = parts.origins.state(for: recent.record).snapshot
            if origin.record.digest == recent.body.digest { return Found(origin: origin, body: recent.body) }
        }
        guard policy.keepsOriginalRecord, let stored = parts.disk?.origin(key) else {
            return parts.origins.live(key).map { Found(origin: $0.snapshot, body: nil) }
        }
        let origin = parts.origins.state(for: stored.record).snapshot
        // The live state may be of a newer body than the file, whose replacement waits to be written.
        guard policy.originals.keepOnDisk, let file = stored.file, origin.record.digest == stored.record.digest else {
            return Found(origin: origin, body: nil)
        }
        let body = OriginBody(file: file, length: stored.record.length, digest: stored.record.digest)
        return Found(origin: origin, body: body)
    }
}
