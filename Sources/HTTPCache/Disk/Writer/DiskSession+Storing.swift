import HTTPSemantics
import LinuxSystem

/// Storing, within the open transaction. A content file is written before its row.
extension DiskSession {
    /// Stores a variant; drops it if it is void or larger than the quota.
    ///
    /// - Parameter bytes: `nil` if they are stored under another key; the variant is dropped if they are not.
    func store(
        _ variant: VariantRecord,
        origin: OriginRecord,
        auxiliaries: [OriginRecord] = [],
        bytes: [UInt8]?,
        use: DiskIndex.Use
    ) throws(DiskFault) {
        guard variant.length <= shared.limits.quota(of: .variants, in: origin.namespace) else {
            throw .body("larger than the quota")
        }
        try spare(origin, variant: variant)
        if let state = try originEntry(origin.key), state.digest != origin.digest,
            state.responseTime >= origin.freshness.responseTime
        {
            throw .body("a newer original is stored")
        }
        let (originRecord, variantRecord) = (origin.encoded, variant.encoded)
        let placed = try place(variant, variantRecord, of: origin, originRecord, bytes)
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
            if let old = try index.variantEntry(variant.key) { try noteGone(old.entry) }
            let row = try index.putVariant(
                variant,
                encoded: variantRecord,
                origin: id,
                namespace: origin.namespace,
                trailer: placed.trailer,
                isLinked: placed.isLinked,
                use: use
            )
            try index.putAuxiliaries(others, of: row)
            try noteStored(
                .variants,
                row,
                variant.digest,
                in: BodyScope(of: origin),
                placed,
                length: variant.length
            )
        } catch {
            throw .index(error)
        }
    }

    /// Puts a variant's bytes in place, in the open transaction.
    private func place(
        _ variant: VariantRecord,
        _ record: [UInt8],
        of origin: OriginRecord,
        _ originRecord: [UInt8],
        _ bytes: [UInt8]?
    ) throws(DiskFault) -> Placed {
        let (key, digest, scope) = (variant.key, variant.digest, BodyScope(of: origin))
        let isBare = shared.configuration.isBare(variant.length)
        if let linked = try link(.variants, key, digest, length: variant.length, in: scope, isBare: isBare) {
            return linked
        }
        guard let bytes else { throw .body("the bytes are not stored under another key") }
        try makeRoom(.variants, in: origin.namespace, for: bytes.count)
        let trailer = ContentTrailer.encode(origin: originRecord, variant: record, bodyLength: bytes.count)
        let path = try write(.variants, key, digest, trailer, isBare: isBare) { file throws(DiskFault) in
            try DiskFault.file { () throws(Errno) in try self.files.write(bytes, to: file) }
        }
        return Placed(path: path, trailer: isBare ? 0 : trailer.count, isLinked: false)
    }

    /// Stores an original's record and body, or updates a stored record.
    func store(_ origin: OriginRecord, body: OriginBody?, use: DiskIndex.Use) throws(DiskFault) {
        try spare(origin)
        if let body, body.length <= shared.limits.quota(of: .originals, in: origin.namespace) {
            let record = origin.encoded
            let placed = try place(body, of: origin, record)
            let old = try originEntry(origin.key)
            let id = try put(
                origin,
                record,
                over: old,
                body: .new(trailer: placed.trailer, isLinked: placed.isLinked),
                use: use
            )
            do throws(SQLiteError) {
                try noteStored(
                    .originals,
                    id,
                    origin.digest,
                    in: BodyScope(of: origin),
                    placed,
                    length: body.length
                )
            } catch {
                throw .index(error)
            }
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

    /// Puts an original's body in place, in the open transaction.
    private func place(_ body: OriginBody, of origin: OriginRecord, _ record: [UInt8]) throws(DiskFault) -> Placed {
        let (key, digest, scope) = (origin.key, origin.digest, BodyScope(of: origin))
        if let linked = try link(.originals, key, digest, length: body.length, in: scope) { return linked }
        try makeRoom(.originals, in: origin.namespace, for: body.length)
        let trailer = ContentTrailer.encode(origin: record, bodyLength: origin.length)
        let path = try write(.originals, key, digest, trailer, of: body) { file throws(DiskFault) in
            try BodyCopy(body: body, files: self.files).run(into: file)
        }
        return Placed(path: path, trailer: trailer.count, isLinked: false)
    }

    func originEntry(_ key: CacheKey) throws(DiskFault) -> DiskIndex.OriginEntry? {
        do throws(SQLiteError) { return try index.originEntry(key) } catch { throw .index(error) }
    }

    /// What happens to the body of an original's old row.
    enum Body: Equatable {
        /// It is kept: the digest is the same.
        case keep
        /// It is replaced; `noteStored` counts the new one.
        case new(trailer: Int, isLinked: Bool = false)
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
            if let old = state?.body, body != .keep { try noteGone(old) }
            let stays = body == .keep && state?.hasBody == true
            let (trailer, isLinked) =
                switch body {
                case .new(let trailer, let isLinked): (trailer, isLinked)
                case .keep: (state?.trailer ?? 0, stays && state?.isLinked == true)
                case .none: (0, false)
                }
            let hasBody = stays || (body != .keep && body != .none)
            let completed = try completed(origin, over: state)
            return try index.putOrigin(
                completed,
                encoded: completed == origin ? encoded : nil,
                hasBody: hasBody,
                trailer: trailer,
                isLinked: isLinked,
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
            try noteGone(variant.entry)
            try index.deleteVariant(variant.entry.id)
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
