import HTTPCache
import HTTPSemantics
import ImagePlan

/// The store of originals for one exchange: on disk, queued for the disk, or known only from their variants.
///
/// Used on the read lane.
struct OriginalStore: ResponseStore {
    let request: OriginRequest
    let parts: PipelineParts
    let flight: Flight<CacheOutcome, PipelineError>
    /// The place in the log of purges when the flight began.
    var place = SharedPlace()
    /// Whether other nodes may have what is stored; a pushed original stays on this one.
    var sharesOriginals = true
    /// The lease of the download; `nil` if no other node waits for it.
    var lease: DownloadLease?
    /// What this node knew of purges then.
    var stamp = PurgeStamp()

    var blocks: Bool { true }

    /// Returns the stored original, with its content if that is kept; `nil` for sources without storage.
    static func find(_ request: OriginRequest, in parts: PipelineParts) -> StoredResponse? {
        let key = request.key
        let policy = request.source.cache
        guard !policy.keepsNothing else { return nil }
        if let recent = parts.recent.find(key) {
            let origin = parts.origins.state(for: recent.record).snapshot
            if origin.record.digest == recent.body.digest { return StoredResponse(origin, recent.body) }
        }
        guard policy.keepsOriginalRecord, let stored = parts.disk?.origin(key) else {
            // What must not be stored is live while responses use it, which no later request may tell.
            guard let live = parts.origins.live(key)?.snapshot, live.record.policy.isStorable else { return nil }
            return StoredResponse(live, nil)
        }
        let origin = parts.origins.state(for: stored.record).snapshot
        // The live state may have a newer body, which is still queued for the disk.
        guard policy.originals.keepOnDisk, let file = stored.file, origin.record.digest == stored.record.digest else {
            return StoredResponse(origin, nil)
        }
        let body = OriginBody(file: file, length: stored.record.length, digest: stored.record.digest)
        return StoredResponse(origin, body)
    }

    func admit(
        _ response: StoredResponse,
        isStorable: Bool,
        replacing stored: StoredResponse?
    ) throws(PipelineError) -> StoredResponse {
        guard case .file(let body) = response.content else {
            throw .notDelivered
        }
        let header: ImageHeader
        do throws(PipelineError) {
            header = try OriginalHeader.read(body, of: request.source)
            // Checked here so that the failure is remembered for the file, not for one variant.
            if request.source.isFolder, let refusal = HeaderGate.refusal(of: header.format, source: request.source) {
                throw refusal
            }
        } catch {
            throw error.concealed(by: request.source)
        }
        var record = OriginRecord(response, of: request, body: body, header: header)
        if let before = stored?.original?.record, before.digest == record.digest {
            record.placeholder = before.placeholder
        } else {
            // Failures of variants of another body do not apply to this one.
            parts.failures.forgetVariants(of: request.key)
        }
        let isOnDisk = if case .file(let old)? = stored?.content { old.digest == body.digest } else { false }
        if !isStorable { lease?.end(.unshareable) }
        let original = publish(record) {
            if isStorable {
                keep(record, body, isOnDisk: isOnDisk)
                share(record, body)
            } else if stored != nil {
                removeStored()
            }
        }
        var response = response
        response.original = original
        return response
    }

    func renew(_ response: StoredResponse, from stored: StoredResponse, changesFreshness: Bool) -> StoredResponse {
        guard let before = stored.original?.record else { return response }
        let record = before.renewed(by: response, of: request)
        var response = response
        response.original = publish(record) {
            if !response.policy.isStorable {
                removeStored()
            } else if request.keeps.keepsOriginalRecord {
                parts.disk?.store(origin: record, body: nil)
                share(record, nil)
            }
        }
        return response
    }

    func ended(_ failure: PipelineError?) {
        // What this node alone has failed at, another one may do.
        lease?.giveUp(failure?.isCommonToNodes == true ? .failed : .abandoned)
    }

    func change(_ change: ResponseChange) {
        _ = flight.publish {
            switch change {
            case .remove: removeStored()
            case .removeGone:
                removeStored()
                parts.origins.retire(request.key)
            case .requireValidation: parts.origins.live(request.key)?.requireValidation()
            // Originals are fetched whole with GET, and only stale ones are validated.
            case .expire, .separate, .keepParts, .update, .invalidate: break
            }
        }
    }

    /// Publishes and stores a record; after an intervening purge, only the waiting requests see it.
    func publish(_ record: OriginRecord, keeping: () -> Void) -> OriginSnapshot {
        guard !request.keepsNothing else { return OriginState(record).snapshot }
        let origin = flight.publish(of: record) {
            let origin = parts.origins.update(record)
            keeping()
            return origin
        }
        return origin ?? OriginState(record).snapshot
    }

    /// Removes the stored original, with all that was made of it, which is gone or must not be stored (RFC 9111 §3).
    private func removeStored() {
        if isShared { parts.shared?.remove(original: request.key) }
        let selection = PurgeSelection.originals([request.key])
        parts.recent.purge(Purge(selection))
        guard let disk = parts.disk, disk.tombstone(selection) else { return }
        _ = disk.remove(selection, completion: nil)
    }

    func keep(_ record: OriginRecord, _ body: OriginBody, isOnDisk: Bool) {
        // Files of a folder source are not copied; their records are stored with their variants.
        guard let disk = parts.disk, !request.source.isFolder, request.keeps.originals.keepOnDisk else { return }
        if isOnDisk {
            disk.store(origin: record, body: nil)
        } else {
            parts.recent.store(record, body, on: disk)
        }
    }
}

extension StoredResponse {
    /// Creates the stored response of an original.
    init(_ original: OriginSnapshot, _ body: OriginBody?) {
        self.init(
            status: original.record.status,
            fields: original.record.fields,
            content: body.map { .file($0) } ?? .evicted,
            policy: original.record.policy,
            // All requests for originals have the same fields.
            vary: VaryKey(values: [:])
        )
        self.original = original
        stamp = original.record.stamp
        if original.state.needsValidation { requireValidation() }
    }
}

extension OriginRecord {
    /// The stored header fields of an original: those that the cache needs, and those that clients receive.
    private static let keptFields: Set<String> = [
        "cache-control", "cdn-cache-control", "expires", "date", "etag", "last-modified", "vary", "cache-tag",
        "surrogate-key", "xkey",
    ]

    /// Creates the record of a complete original.
    init(_ response: StoredResponse, of request: OriginRequest, body: OriginBody, header: ImageHeader) {
        self.init(
            key: request.key,
            source: request.source.name,
            url: request.identity,
            digest: body.digest,
            length: body.length,
            fields: FieldLines(),
            policy: response.policy,
            metadata: OriginMetadata(header: header).encoded
        )
        take(response, of: request)
    }

    /// Returns the record after a successful validation (RFC 9111 §4.3.4).
    func renewed(by response: StoredResponse, of request: OriginRequest) -> OriginRecord {
        var record = self
        record.take(response, of: request)
        return record
    }

    private mutating func take(_ response: StoredResponse, of request: OriginRequest) {
        var names = Self.keptFields.union(request.source.effects?.fieldNames ?? [])
        if header.format == .other { names.insert("content-type") }
        let kept = FieldLines(response.fields.lines.filter { names.contains($0.key) })
        setFields(kept, policy: response.policy)
        stamp = response.stamp
        tags = response.tags
        // A lifetime for shared caches only, or granted by a loader, does not apply to clients.
        let isForClients = clientCacheControl == nil && !request.source.isFolder
        advertisedLifetime = isForClients ? max(0, policy.freshness.lifetime) : request.source.ttl
    }
    /// The media type: of an image by its format, of other content as its origin says.
    var mediaType: String {
        guard header.format == .other else { return header.format.mediaType }
        return fields["content-type"].flatMap { MediaType.valid($0) } ?? header.format.mediaType
    }
}
