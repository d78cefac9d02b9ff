package import HTTPCache
package import HTTPSemantics
package import ImagePlan

/// The image metadata of an original, stored in its record.
package struct OriginMetadata: Hashable, Sendable {
    /// The format and size from the first bytes.
    package var header: ImageHeader
    /// A preview for pages to show while the image loads; `nil` until computed.
    package var placeholder: Placeholder?
    private var unknown = TaggedFields()

    /// Creates metadata.
    package init(header: ImageHeader, placeholder: Placeholder? = nil) {
        self.header = header
        self.placeholder = placeholder
    }

    /// Layouts before 11 stored the same values in the record, under the same tags.
    ///
    /// Never change the meaning of a released tag.
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
            .value(23, \.header.hasCredentials, omitting: false),
            .optional(24, \.header.hasGainMap),
        ]
    )

    /// The encoded metadata.
    package var encoded: [UInt8] { Self.codec.encode(self) }

    /// Decodes metadata; `nil` if the format is missing or unknown to this release.
    package init?(encoded: [UInt8]) {
        guard let metadata = Self.codec.decode(encoded[...]) else { return nil }
        self = metadata
    }
}

extension Placeholder: TaggedValue {
    package var taggedBytes: [UInt8] { Array(text.utf8) }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(text: Array(taggedBytes)) }
}

/// Image metadata of records.
extension OriginRecord {
    /// The format and size from the body's first bytes.
    ///
    /// Meaningful for images only. No store reads a record with unknown metadata (`PictureMetadata.isReadable`).
    package var header: ImageHeader {
        get { pictureMetadata.header }
        set { pictureMetadata.header = newValue }
    }

    /// A preview for pages to show while the image loads; `nil` until computed.
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

    /// Creates the record of an image.
    ///
    /// - Parameters:
    ///   - cacheControl: the value of the field that applies to this cache.
    ///   - clientCacheControl: `Cache-Control`, if `cacheControl` is from `CDN-Cache-Control` (RFC 9213); empty if missing.
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
