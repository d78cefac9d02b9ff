import HTTPCache
import ImagePlan

extension EntityDescription {
    init(
        mediaType: String,
        digest: CacheKey,
        length: Int,
        origin: OriginRecord,
        of source: SourceRule,
        animation: AnimationOutcome?,
        standIn: StandIn? = nil
    ) {
        self.init(
            mediaType: mediaType,
            digest: digest,
            length: length,
            // The final variant would have the same date, so a stand-in could pass validation by date. Entity tags differ.
            lastModified: standIn == nil ? origin.lastModified : nil,
            cacheControl: origin.downstreamCacheControl,
            advertisedLifetime: origin.advertisedLifetime,
            hints: OriginalHints(origin, for: source),
            standIn: standIn,
            animation: animation,
            credentials: ContentCredentials(of: origin, in: digest, mediaType)
        )
    }

    /// Creates the description of a variant from its record.
    init(_ record: VariantRecord, origin: OriginRecord, for request: VariantRequest) {
        let source = request.origin.source
        self.init(
            mediaType: record.format.mediaType,
            digest: record.digest,
            length: record.length,
            origin: origin,
            of: source,
            animation: request.animation(of: origin.header, in: record),
            standIn: record.isStandIn ? StandIn(record: record, lifetime: source.avif.standInLifetime) : nil
        )
        quality = record.found
        isTranscoded = request.takesTranscoding && record.format == .picture(.jxl)
        // The original has the same date, so a range of it could be continued with one of other bytes (RFC 9110 §13.1.5).
        if isTranscoded { lastModified = nil }
    }
}

extension VariantRequest {
    /// Returns how an original's frames were handled; `made` is the result's record, or `nil` for the bare original.
    func animation(of header: ImageHeader, in made: VariantRecord?) -> AnimationOutcome? {
        AnimationOutcome(
            plan: plan,
            header: header,
            frames: made?.frames ?? header.frames,
            format: made?.format.image,
            limits: origin.source.animation
        )
    }
}
