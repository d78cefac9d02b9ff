import HTTPSemantics
import LinuxSystem

/// Storing and removing, within the open transaction. Content files come before their rows.
extension DiskSession {
    /// Stores a variant; void ones and those over the quota are dropped.
    func store(
        _ variant: VariantRecord,
        origin: OriginRecord,
        ingredients: [OriginRecord] = [],
        bytes: [UInt8],
        use: DiskIndex.Use
    ) throws(DiskFault) {
        try makeRoom(.variants, for: bytes.count)
        try spare(origin, variant: variant)
        if let state = try originEntry(origin.key), state.digest != origin.digest,
            state.responseTime >= origin.freshness.responseTime
        {
            throw .body("a newer original is stored")
        }
        let (originRecord, variantRecord) = (origin.encoded, variant.encoded)
        let trailer = ContentTrailer.encode(origin: originRecord, variant: variantRecord, bodyLength: bytes.count)
        let path = try write(.variants, variant.key, variant.digest, trailer) { file throws(DiskFault) in
            try DiskFault.file { () throws(Errno) in try self.files.write(bytes, to: file) }
        }
        // What is void by them goes before the original's row is looked at, which may go along.
        _ = try put(ingredients, use: use)
        let state = try originEntry(origin.key)
        let id: Int64
        if let state, state.digest == origin.digest {
            let isNews = state.responseTime < origin.freshness.responseTime
            id = isNews ? try put(origin, originRecord, over: state, body: .keep, use: use) : state.id
        } else {
            id = try put(origin, originRecord, over: state, body: .none, use: use)
        }
        // And theirs may have gone with what is void by the original; now nothing is left to go.
        let others = try put(ingredients, use: use)
        do throws(SQLiteError) {
            if let old = try index.variantEntry(variant.key) { noteGone(old.entry) }
            let row = try index.putVariant(
                variant,
                encoded: variantRecord,
                origin: id,
                trailer: trailer.count,
                use: use
            )
            try index.putIngredients(others, of: row)
        } catch {
            throw .index(error)
        }
        noteStored(.variants, path: path, length: bytes.count)
    }

    /// Stores an original's record and body, or only the record over one that is there.
    func store(_ origin: OriginRecord, body: OriginBody?, use: DiskIndex.Use) throws(DiskFault) {
        try spare(origin)
        if let body, body.length <= shared.quota(of: .originals) {
            try makeRoom(.originals, for: body.length)
            let record = origin.encoded
            let trailer = ContentTrailer.encode(origin: record, bodyLength: origin.length)
            let path = try write(.originals, origin.key, origin.digest, trailer) { file throws(DiskFault) in
                try BodyCopy(body: body, files: self.files).run(into: file)
            }
            let old = try originEntry(origin.key)
            _ = try put(origin, record, over: old, body: .new(trailer: trailer.count), use: use)
            noteStored(.originals, path: path, length: body.length)
            return
        }
        let state = try originEntry(origin.key)
        if state == nil, body == nil, shared.seed?.contains(origin) == true {
            // What the origin says of the seed's body now.
            _ = try put(origin, over: nil, body: .none, use: use)
        }
        if let state {
            let keeps = state.hasBody && state.digest == origin.digest
            let id = try put(origin, over: state, body: keeps ? .keep : .none, use: use)
            do throws(SQLiteError) { try index.deleteOriginIfUnused(id) } catch { throw .index(error) }
        }
        if body != nil { throw .body("larger than the quota") }
    }

    func originEntry(_ key: CacheKey) throws(DiskFault) -> DiskIndex.OriginEntry? {
        do throws(SQLiteError) { return try index.originEntry(key) } catch { throw .index(error) }
    }

    /// What becomes of the body that an origin's old row may have.
    enum Body: Equatable {
        /// It stays, as the digest is the same.
        case keep
        /// Another takes its place, counted by `noteStored`.
        case new(trailer: Int)
        case none
    }

    /// Writes an origin's row over its old state; another digest voids the variants.
    ///
    /// - Parameter encoded: the record's encoding, where it has been made already.
    /// - Returns: the row's number.
    func put(
        _ origin: OriginRecord,
        _ encoded: [UInt8]? = nil,
        over state: DiskIndex.OriginEntry?,
        body: Body,
        use: DiskIndex.Use
    ) throws(DiskFault) -> Int64 {
        do throws(SQLiteError) {
            if let state, state.digest != origin.digest {
                try removeVariants(ofOrigin: state.id, except: origin.digest)
                try removeVariants(madeWith: state.id, except: origin.digest)
            }
            if let old = state?.body, body != .keep { noteGone(old) }
            let stays = body == .keep && state?.hasBody == true
            let trailer =
                switch body {
                case .new(let trailer): trailer
                case .keep: state?.trailer ?? 0
                case .none: 0
                }
            let hasBody = stays || (body != .keep && body != .none)
            let completed = try completed(origin, over: state)
            return try index.putOrigin(
                completed,
                encoded: completed == origin ? encoded : nil,
                hasBody: hasBody,
                trailer: trailer,
                isForSeed: shared.seed?.contains(origin) == true,
                use: use
            )
        } catch {
            throw .index(error)
        }
    }

    /// The record with the metadata that only its row has: what was true of these bytes still is.
    private func completed(
        _ origin: OriginRecord,
        over state: DiskIndex.OriginEntry?
    ) throws(SQLiteError) -> OriginRecord {
        guard let state, state.digest == origin.digest,
            let stored = try index.origin(origin.key, kind: origin.kind)?.record
        else { return origin }
        var origin = origin
        origin.metadata = TaggedFields.completing(origin.metadata, with: stored.metadata)
        return origin
    }

    func removeVariants(ofOrigin id: Int64, except digest: CacheKey?) throws(SQLiteError) {
        for variant in try index.variantEntries(ofOrigin: id, except: digest) {
            try index.deleteVariant(variant.entry.id)
            noteGone(variant.entry)
        }
    }
}
