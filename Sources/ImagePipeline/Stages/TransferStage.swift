import HTTPSemantics
import ImagePlan
import LinuxSystem

/// Stage 6's judgement: what an origin's answer means for the cache; the transfer itself is an `OriginLoading`'s.
enum TransferStage {
    /// Bytes from which a header is read at first, and at most.
    ///
    /// Photographs carry previews, depth maps and other extended metadata of many megabytes before their size.
    private static let firstLook = 64 << 10
    private static let lastLook = 16 << 20

    /// Whether a shared cache may keep the answer (RFC 9111 §3).
    static func isStorable(_ fields: OriginFields) -> Bool {
        CacheControl.isStorable(cacheControl: fields.cacheControl, vary: fields.vary)
    }

    /// The record of an original that has come whole.
    ///
    /// - Throws: `.notAnImage` or `.broken` when its first bytes are not an image's.
    static func record(
        of request: OriginRequest,
        fields: OriginFields,
        body: OriginBody
    ) throws(PipelineError) -> OriginRecord {
        OriginRecord(
            key: request.key,
            source: request.source.name,
            url: request.identity,
            digest: body.digest,
            length: body.length,
            header: try header(of: body),
            entityTag: fields.entityTag,
            lastModified: fields.lastModified,
            cacheControl: fields.cacheControl,
            clientCacheControl: fields.clientCacheControl,
            freshness: freshness(fields, source: request.source),
            advertisedLifetime: advertised(fields, source: request.source),
            tags: fields.tags.map { OriginTags.parse($0) } ?? []
        )
    }

    /// A stored record after a 304: the fields that the answer carries replace the stored ones (RFC 9111 §3.2).
    ///
    /// - Returns: the record, and whether a shared cache may go on keeping it.
    static func refreshed(
        _ record: OriginRecord,
        by fields: OriginFields,
        source: SourceRule
    ) -> (record: OriginRecord, isStorable: Bool) {
        var merged = fields
        merged.cacheControl = fields.cacheControl ?? record.cacheControl
        var result = record
        result.cacheControl = merged.cacheControl
        if fields.cacheControl != nil { result.clientCacheControl = fields.clientCacheControl }
        result.entityTag = fields.entityTag ?? record.entityTag
        result.lastModified = fields.lastModified ?? record.lastModified
        if let tags = fields.tags { result.tags = OriginTags.parse(tags) }
        result.freshness = freshness(merged, source: source)
        if saysNothingOfTime(fields, stored: record.cacheControl) {
            // It said nothing new: as long again as the last time, whatever a purge has made of that since.
            result.freshness.lifetime = record.advertisedLifetime
        } else {
            result.advertisedLifetime = advertised(merged, source: source)
        }
        return (result, isStorable(merged))
    }

    /// Whether neither an answer nor the `Cache-Control` stored before says how long it is fresh: then `Expires` did, which is
    /// not stored, or the source's time to live.
    private static func saysNothingOfTime(_ fields: OriginFields, stored: String?) -> Bool {
        guard fields.cacheControl == nil, fields.expires == nil, fields.vouchedLifetime == nil else { return false }
        guard let control = stored.map({ CacheControl($0) }) else { return true }
        return control.maxAge == nil && control.sMaxAge == nil && control.isStorable && !control.requiresValidation
    }

    private static func freshness(_ fields: OriginFields, source: SourceRule) -> Freshness {
        if let vouched = fields.vouchedLifetime {
            return Freshness(responseTime: fields.responseTime, initialAge: 0, lifetime: vouched)
        }
        var freshness = Freshness.compute(
            Freshness.Fields(
                cacheControl: fields.cacheControl,
                expires: fields.expires,
                date: fields.date,
                age: fields.age
            ),
            requestTime: fields.requestTime,
            responseTime: fields.responseTime,
            defaultLifetime: source.ttl,
            minimum: source.ttlMinimum,
            maximum: source.ttlMaximum
        )
        // What was kept of the original before must not live on under words that forbid keeping it.
        if !isStorable(fields) { freshness.lifetime = 0 }
        return freshness
    }

    /// `max-age` for clients where the origin sent no `Cache-Control`: its `Expires`, else the source's time to live.
    private static func advertised(_ fields: OriginFields, source: SourceRule) -> Int64 {
        // What is said to us alone says nothing of how long clients may keep it.
        guard fields.vouchedLifetime == nil, fields.clientCacheControl == nil else { return source.ttl }
        return max(0, freshness(fields, source: source).lifetime)
    }

    private static let unknown = PipelineError.notAnImage("the bytes are no image format that is known here")

    private static func header(of body: OriginBody) throws(PipelineError) -> ImageHeader {
        var look = min(body.length, firstLook)
        while true {
            guard let bytes = body.file.read(count: look) else {
                throw .originProtocol("the original was lost while it was read")
            }
            switch ImageSniffer.sniff(bytes.span, totalLength: body.length) {
            case .image(let header) where header.format == .svgz:
                guard let inside = OriginMarkup.header(of: bytes.span, claimed: header) else { throw unknown }
                return inside
            case .image(let header): return header
            case .unknown: throw unknown
            case .malformed(_, let reason): throw .broken(reason)
            case .needsMore(let wanted):
                guard look < min(body.length, lastLook) else { throw .broken("the image's header does not end") }
                look = min(body.length, lastLook, max(wanted, look * 4))
            }
        }
    }
}
