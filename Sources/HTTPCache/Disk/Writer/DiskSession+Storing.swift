import HTTPSemantics
import LinuxSystem

/// Storing, within the open transaction. A content file is written before its row.
extension DiskSession {
    /// Stores a variant; drops it if it is void or larger than the quota.
    func store(
        _ variant: VariantRecord,
        origin: OriginRecord,
        auxiliaries: [OriginRecord] = [],
        bytes: [UInt8],
        use: DiskIndex.Use
    ) throws(DiskFault) {
        try makeRoom(.variants, in: origin.namespace, for: bytes.count)
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
        // First the auxiliary images: dropping variants that they make void may delete the original's row.
        _ = try put(auxiliaries, use: use)
        let state = try originEntry(origin.key)
        let id: Int64
        if let state, state.digest == origin.digest {
            let isNews = state.responseTime < origin.freshness.responseTime
            id = isNews ? try put(origin, originRecord, over: state, body: .keep, use: use) : state.id
        } else {
            id = try put(origin, originRecord, over: state, body: .none, use: use)
        }
        // Then again, since the original may have made variants void whose removal deleted auxiliary images' rows.
        let others = try put(auxiliaries, use: use)
        do throws(SQLiteError) {
            if let old = try index.variantEntry(variant.key) { noteGone(old.entry) }
            let row = try index.putVariant(
                variant,
                encoded: variantRecord,
                origin: id,
                namespace: origin.namespace,
                trailer: trailer.count,
                use: use
            )
            try index.putAuxiliaries(others, of: row)
        } catch {
            throw .index(error)
        }
        noteStored(.variants, in: origin.namespace, path: path, length: bytes.count)
    }

    /// Stores an original's record and body, or updates a stored record.
    func store(_ origin: OriginRecord, body: OriginBody?, use: DiskIndex.Use) throws(DiskFault) {
        try spare(origin)
        if let body, body.length <= shared.limits.quota(of: .originals, in: origin.namespace) {
            try makeRoom(.originals, in: origin.namespace, for: body.length)
            let record = origin.encoded
            let trailer = ContentTrailer.encode(origin: record, bodyLength: origin.length)
            let path = try write(.originals, origin.key, origin.digest, trailer) { file throws(DiskFault) in
                try BodyCopy(body: body, files: self.files).run(into: file)
            }
            let old = try originEntry(origin.key)
            _ = try put(origin, record, over: old, body: .new(trailer: trailer.count), use: use)
            noteStored(.originals, in: origin.namespace, path: path, length: body.length)
            return
        }
        let state = try originEntry(origin.key)
        if state == nil, body == nil, shared.seed?.contains(origin) == true {
            // The new fields of a body in the seed.
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

    /// What happens to the body of an original's old row.
    enum Body: Equatable {
        /// It is kept: the digest is the same.
        case keep
        /// It is replaced; `noteStored` counts the new one.
        case new(trailer: Int)
        case none
    }

    /// Writes an original's row; removes its variants if the digest has changed.
    ///
    /// - Parameter encoded: the encoded record, if already available.
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

    /// Copies metadata that is missing from the new record from the stored record of the same body.
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

/// Auxiliary images: their records are kept for as long as a variant made with them, and a new body of one makes the variant void.
extension DiskSession {
    /// Writes the records of a variant's auxiliary images, unless newer ones are stored.
    ///
    /// - Returns: the numbers of their rows, with the digests of the bodies that the variant was made with.
    func put(
        _ auxiliaries: [OriginRecord],
        use: DiskIndex.Use
    ) throws(DiskFault) -> [(origin: Int64, digest: CacheKey)] {
        var rows: [(origin: Int64, digest: CacheKey)] = []
        for record in auxiliaries {
            try spare(record)
            let state = try originEntry(record.key)
            if let state, state.responseTime >= record.freshness.responseTime {
                rows.append((state.id, record.digest))
                continue
            }
            let keeps = state.map { $0.hasBody && $0.digest == record.digest } ?? false
            rows.append((try put(record, over: state, body: keeps ? .keep : .none, use: use), record.digest))
        }
        return rows
    }

    /// Removes the variants that have an original as an auxiliary image, or only those made with another body of it than `digest`.
    func removeVariants(madeWith id: Int64, except digest: CacheKey?) throws(SQLiteError) {
        for variant in try index.variantEntries(madeWith: id, except: digest) { try drop(variant) }
    }
}

/// Storing responses of raw sources, within the open transaction.
extension DiskSession {
    /// Stores all responses of a URL in place of the old ones.
    func store(_ content: RawContent, use: DiskIndex.Use) throws(DiskFault) {
        let (record, bytes) = content.encoded
        let state = try originEntry(record.key)
        guard bytes.count <= shared.limits.quota(of: .originals, in: record.namespace) else {
            // The old responses are out of date.
            if let body = state?.body {
                do throws(SQLiteError) { try drop(body) } catch { throw .index(error) }
            }
            throw .body("larger than the quota")
        }
        try makeRoom(.originals, in: record.namespace, for: bytes.count)
        let encoded = record.encoded
        let trailer = ContentTrailer.encode(origin: encoded, bodyLength: bytes.count)
        let path = try write(.originals, record.key, record.digest, trailer) { file throws(DiskFault) in
            try DiskFault.file { () throws(Errno) in try self.files.write(bytes, to: file) }
        }
        let old = try originEntry(record.key)
        _ = try put(record, encoded, over: old, body: .new(trailer: trailer.count), use: use)
        noteStored(.originals, in: record.namespace, path: path, length: bytes.count)
    }
}
