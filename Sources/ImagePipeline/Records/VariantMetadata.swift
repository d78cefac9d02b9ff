package import HTTPCache
package import ImagePlan

/// What a variant's bytes are: the metadata of its record.
package struct VariantMetadata: Hashable, Sendable {
    /// The encoded format.
    package var format: ResultFormat
    /// Pixels; of a description such as `format=json`, those of the picture described.
    package var width: Int
    /// Pixels of one frame.
    package var height: Int
    /// Frames, 1 for a still.
    package var frames: Int
    /// Whether it is WebP that is served until the AVIF is made.
    package var isStandIn: Bool
    private var unknown = TaggedFields()

    /// Creates metadata.
    package init(format: ResultFormat, width: Int, height: Int, frames: Int = 1, isStandIn: Bool = false) {
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.isStandIn = isStandIn
    }

    /// The tags are those under which layouts before 11 kept the same values in the record itself; a released tag keeps its meaning.
    private static let codec = RecordCodec(
        blank: VariantMetadata(format: .jpeg, width: 0, height: 0),
        unknown: \.unknown,
        [
            .number(5, \.format, isRequired: true),
            .value(6, \.width),
            .value(7, \.height),
            .value(8, \.frames),
            .value(12, \.isStandIn, omitting: false),
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

/// The metadata that the pipeline writes.
package enum PictureMetadata {
    /// Whether this release can read the metadata of a picture or a variant (`DiskStore.Configuration.isReadable`).
    package static func isReadable(_ diskClass: DiskClass, _ metadata: [UInt8]) -> Bool {
        switch diskClass {
        case .originals: OriginMetadata(encoded: metadata) != nil
        case .variants: VariantMetadata(encoded: metadata) != nil
        }
    }
}

/// A picture's record.
extension VariantRecord {
    /// The encoded format.
    package var format: ResultFormat {
        get { picture.format }
        set { picture.format = newValue }
    }

    /// Pixels; of a description such as `format=json`, those of the picture described.
    package var width: Int {
        get { picture.width }
        set { picture.width = newValue }
    }

    /// Pixels of one frame.
    package var height: Int {
        get { picture.height }
        set { picture.height = newValue }
    }

    /// Frames, 1 for a still.
    package var frames: Int {
        get { picture.frames }
        set { picture.frames = newValue }
    }

    /// Whether it is WebP that is served until the AVIF is made.
    package var isStandIn: Bool {
        get { picture.isStandIn }
        set { picture.isStandIn = newValue }
    }

    /// A store reads no record whose metadata is unknown (`DiskStore.Configuration.isReadable`).
    private var picture: VariantMetadata {
        get { VariantMetadata(encoded: metadata) ?? VariantMetadata(format: .jpeg, width: 0, height: 0) }
        set { metadata = newValue.encoded }
    }

    /// Creates the record of a picture.
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
