package import HTTPCache
package import ImagePlan

/// The image metadata of a variant, stored in its record.
package struct VariantMetadata: Hashable, Sendable {
    /// The encoded format.
    package var format: ResultFormat
    /// The width in pixels; for a description such as `format=json`, that of the described image.
    package var width: Int
    /// The height of one frame in pixels.
    package var height: Int
    /// The number of frames; 1 for a still image.
    package var frames: Int
    /// Whether it is a temporary WebP, served until the AVIF is made.
    package var isStandIn: Bool
    /// Whether it was encoded again with more effort, or that made it no smaller.
    package var isCompact = false
    /// The quality that `q=auto` found; `nil` without a search.
    package var quality: Int?
    /// The score of the result in tenths, if `quality` is known.
    package var score: Int?
    /// The placeholder of the original, for nodes that get the result from the shared store; `nil` on disk.
    package var placeholder: Placeholder?
    private var unknown = TaggedFields()

    /// Creates metadata.
    package init(format: ResultFormat, width: Int, height: Int, frames: Int = 1, isStandIn: Bool = false) {
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.isStandIn = isStandIn
    }

    /// Layouts before 11 stored the same values in the record, under the same tags.
    ///
    /// Never change the meaning of a released tag.
    private static let codec = RecordCodec(
        blank: VariantMetadata(format: .jpeg, width: 0, height: 0),
        unknown: \.unknown,
        [
            .number(5, \.format, isRequired: true),
            .value(6, \.width),
            .value(7, \.height),
            .value(8, \.frames),
            .value(12, \.isStandIn, omitting: false),
            .value(13, \.isCompact, omitting: false),
            .optional(14, \.quality),
            .optional(15, \.score),
            .optional(16, \.placeholder),
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

/// Checks the metadata that the pipeline writes.
package enum PictureMetadata {
    /// Whether this release can read the metadata of an original or a variant; a store reads no others
    /// (`DiskStore.Configuration.isReadable`, `SharedStore.Configuration.isReadable`).
    package static func isReadable(_ diskClass: DiskClass, _ metadata: [UInt8]) -> Bool {
        switch diskClass {
        case .originals: OriginMetadata(encoded: metadata) != nil
        case .variants: VariantMetadata(encoded: metadata) != nil
        }
    }
}

/// Image metadata of records.
extension VariantRecord {
    /// The encoded format.
    package var format: ResultFormat {
        get { picture.format }
        set { picture.format = newValue }
    }

    /// The width in pixels; for a description such as `format=json`, that of the described image.
    package var width: Int {
        get { picture.width }
        set { picture.width = newValue }
    }

    /// The height of one frame in pixels.
    package var height: Int {
        get { picture.height }
        set { picture.height = newValue }
    }

    /// The number of frames; 1 for a still image.
    package var frames: Int {
        get { picture.frames }
        set { picture.frames = newValue }
    }

    /// Whether it is a temporary WebP, served until the AVIF is made.
    package var isStandIn: Bool {
        get { picture.isStandIn }
        set { picture.isStandIn = newValue }
    }

    /// Whether it was encoded again with more effort, or that made it no smaller.
    package var isCompact: Bool {
        get { picture.isCompact }
        set { picture.isCompact = newValue }
    }

    /// The quality that `q=auto` found; `nil` without a search.
    package var found: FoundQuality? {
        get {
            let picture = picture
            guard let quality = picture.quality, let score = picture.score else { return nil }
            return FoundQuality(quality: quality, score: score)
        }
        set { (picture.quality, picture.score) = (newValue?.quality, newValue?.score) }
    }

    /// The placeholder of the original, for nodes that get the result from the shared store; `nil` on disk.
    package var placeholder: Placeholder? {
        get { picture.placeholder }
        set { picture.placeholder = newValue }
    }

    /// No store reads a record with unknown metadata (`PictureMetadata.isReadable`).
    private var picture: VariantMetadata {
        get { VariantMetadata(encoded: metadata) ?? VariantMetadata(format: .jpeg, width: 0, height: 0) }
        set { metadata = newValue.encoded }
    }

    /// Creates the record of a variant.
    package init(
        key: CacheKey,
        origin: CacheKey,
        originDigest: CacheKey,
        plan: String,
        presets: [String] = [],
        format: ResultFormat,
        width: Int,
        height: Int,
        frames: Int,
        length: Int,
        digest: CacheKey,
        isStandIn: Bool = false
    ) {
        let metadata = VariantMetadata(
            format: format,
            width: width,
            height: height,
            frames: frames,
            isStandIn: isStandIn
        )
        self.init(
            key: key,
            origin: origin,
            originDigest: originDigest,
            plan: plan,
            presets: presets,
            length: length,
            digest: digest,
            metadata: metadata.encoded
        )
    }
}
