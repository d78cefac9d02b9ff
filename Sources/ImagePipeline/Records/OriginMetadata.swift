package import HTTPCache
package import HTTPSemantics
package import ImagePlan

/// What is known of an original's bytes as a picture: the metadata of its record.
package struct OriginMetadata: Hashable, Sendable {
    /// What the first bytes say.
    package var header: ImageHeader
    /// What pages show before the picture; `nil` until it has been computed of these bytes.
    package var placeholder: Placeholder?
    private var unknown = TaggedFields()

    /// Creates metadata.
    package init(header: ImageHeader, placeholder: Placeholder? = nil) {
        self.header = header
        self.placeholder = placeholder
    }

    /// The tags are those under which layouts before 11 kept the same values in the record itself; a released tag keeps its meaning.
    private static let codec = RecordCodec(
        blank: OriginMetadata(header: ImageHeader(format: .jpeg, width: 0, height: 0)),
        unknown: \.unknown,
        [
            .number(6, \.header.format, isRequired: true),
            .value(7, \.header.width),
            .value(8, \.header.height),
            .value(9, \.header.frames),
            .value(10, \.header.orientation),
            .optional(11, \.header.hasAlpha),
            .optional(22, \.placeholder),
        ]
    )

    /// The metadata's bytes.
    package var encoded: [UInt8] { Self.codec.encode(self) }

    /// Reads metadata; `nil` where the format is missing, or one that this release does not know.
    package init?(encoded: [UInt8]) {
        guard let metadata = Self.codec.decode(encoded[...]) else { return nil }
        self = metadata
    }
}

extension Placeholder: TaggedValue {
    package var taggedBytes: [UInt8] { Array(text.utf8) }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(text: Array(taggedBytes)) }
}

/// A picture's record.
extension OriginRecord {
    /// What the body's first bytes say.
    ///
    /// Meaningful for pictures only. A store reads no record whose metadata is unknown (`DiskStore.Configuration.isReadable`).
    package var header: ImageHeader {
        get { pictureMetadata.header }
        set { pictureMetadata.header = newValue }
    }

    /// What pages show before the picture; `nil` until it has been computed of these bytes.
    package var placeholder: Placeholder? {
        get { pictureMetadata.placeholder }
        set { pictureMetadata.placeholder = newValue }
    }

    private var pictureMetadata: OriginMetadata {
        get {
            OriginMetadata(encoded: metadata)
                ?? OriginMetadata(header: ImageHeader(format: .jpeg, width: 0, height: 0))
        }
        set { metadata = newValue.encoded }
    }

    /// Creates the record of a picture.
    ///
    /// - Parameters:
    ///   - cacheControl: the value of the field that counts for this cache.
    ///   - clientCacheControl: `Cache-Control`, where `cacheControl` is that of `CDN-Cache-Control` (RFC 9213); empty for none.
    package init(
        key: CacheKey,
        source: String,
        url: String,
        digest: CacheKey,
        length: Int,
        header: ImageHeader,
        entityTag: String?,
        lastModified: String?,
        cacheControl: String?,
        clientCacheControl: String? = nil,
        freshness: Freshness,
        advertisedLifetime: Int64,
        tags: [String] = [],
        placeholder: Placeholder? = nil
    ) {
        var fields = FieldLines()
        fields.appendStored("ETag", entityTag)
        fields.appendStored("Last-Modified", lastModified)
        fields.appendStored(cacheControl: cacheControl, client: clientCacheControl)
        self.init(
            key: key,
            source: source,
            url: url,
            digest: digest,
            length: length,
            fields: fields,
            policy: ResponsePolicy(storedWith: fields, freshness: freshness),
            advertisedLifetime: advertisedLifetime,
            tags: tags,
            metadata: OriginMetadata(header: header, placeholder: placeholder).encoded
        )
    }
}
