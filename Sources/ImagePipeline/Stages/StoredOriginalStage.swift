/// Stage 4: what is stored of an original; on the read lane.
struct StoredOriginalStage: Sendable {
    let parts: PipelineParts

    /// A stored original: its shared state, and its bytes where they are still kept.
    struct Found: Sendable {
        var state: OriginState
        var version: UInt64
        var record: OriginRecord
        var body: OriginBody?
    }

    /// Looks among what waits for the disk, on disk, then among what variants in memory refer to.
    func find(_ key: CacheKey) -> Found? {
        if let recent = parts.recent.find(key) {
            let state = parts.origins.state(for: recent.record)
            let (version, record) = (state.version, state.record)
            if record.digest == recent.body.digest {
                return Found(state: state, version: version, record: record, body: recent.body)
            }
        }
        guard let stored = parts.disk?.origin(key) else {
            guard let state = parts.origins.live(key) else { return nil }
            return Found(state: state, version: state.version, record: state.record, body: nil)
        }
        let state = parts.origins.state(for: stored.record)
        let version = state.version
        let record = state.record
        // The live state may be of a newer body than the file, whose replacement waits to be written.
        guard let file = stored.file, record.digest == stored.record.digest else {
            return Found(state: state, version: version, record: record, body: nil)
        }
        let body = OriginBody(file: file, length: stored.record.length, digest: stored.record.digest)
        return Found(state: state, version: version, record: record, body: body)
    }
}
