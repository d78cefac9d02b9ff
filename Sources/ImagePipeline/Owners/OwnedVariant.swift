import HTTPCache
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// What an owner tells about a variant beside its bytes: the description, and the facts about the original.
///
/// Sent between nodes, which may be of different releases: never change the meaning of a released tag.
package struct OwnedVariant: Hashable, Sendable {
    /// The description; without hints if the source states none, and never of a stand-in.
    package private(set) var description: EntityDescription
    /// The digest and the length of the original.
    private var originDigest: CacheKey
    private var originLength = 0
    /// The purge tags of the original and of the auxiliary images.
    private var tags: [String] = []
    private var age: Int64 = 0
    /// Seconds until it is stale; not positive once it is.
    private var freshSeconds: Int64 = 0
    /// Whether it may be kept.
    private(set) var isKept = false
    private var unknown = TaggedFields()

    /// Describes an entity as of a second of the wall clock.
    ///
    /// - Parameter cacheControl: `Cache-Control` for clients, if it is not the entity's own.
    package init(_ entity: Entity, cacheControl: String? = nil, at now: Int64) {
        description = entity.description
        description.standIn = nil
        // The receiver compresses it again.
        description.variesByCoding = false
        if let cacheControl { description.cacheControl = cacheControl }
        let record = entity.origin.record
        originDigest = entity.originDigest
        originLength = entity.savedBytes + entity.body.length
        tags = record.tags
        age = entity.age(at: now)
        freshSeconds = entity.freshSeconds(at: now)
        // What the owner does not keep in memory, or would validate before its next use, is not kept elsewhere.
        isKept = entity.isCacheable && !entity.isStandIn && entity.auxiliaries.isEmpty && entity.isFresh(at: now)
    }

    private init() {
        originDigest = CacheKey(hashing: "")
        description = EntityDescription(mediaType: "", digest: originDigest, length: 0, advertisedLifetime: 0)
    }

    private static let codec = RecordCodec(
        blank: OwnedVariant(),
        unknown: \.unknown,
        [
            .value(1, \.description.mediaType, isRequired: true),
            .value(2, \.description.digest, isRequired: true),
            .value(3, \.description.length, isRequired: true),
            .optional(4, \.description.lastModified),
            .optional(5, \.description.cacheControl),
            .value(6, \.description.advertisedLifetime),
            .optional(7, \.description.contentCoding),
            .value(8, \.description.isSandboxed, omitting: false),
            .optional(9, \.description.passReason),
            .optional(10, \.description.animation),
            .optional(11, \.description.hints),
            .value(12, \.originDigest, isRequired: true),
            .value(13, \.originLength),
            .list(14, \.tags),
            .value(15, \.age, isRequired: true),
            .value(16, \.freshSeconds, isRequired: true),
            .value(17, \.isKept, omitting: false),
            .optional(18, \.description.credentials),
            .optional(19, \.description.quality),
        ]
    )

    /// The encoded description.
    package var encoded: [UInt8] { Self.codec.encode(self) }

    /// Decodes a description; `nil` if it is malformed, or of a release whose values this one does not know.
    package init?(encoded: [UInt8]) {
        guard let variant = Self.codec.decode(encoded[...]) else { return nil }
        self = variant
    }

    /// The state of the original, which no other variant shares: fresh for a limited time, and never used when stale.
    ///
    /// - Parameters:
    ///   - seconds: the longest time for which it is fresh.
    ///   - stamp: what this node knew of purges when it asked.
    ///   - progress: what it knows of them.
    func origin(
        of request: VariantRequest,
        keptFor seconds: Int64,
        at now: Int64,
        stamp: PurgeStamp = PurgeStamp(),
        progress: PurgeProgress = .alone
    ) -> OriginSnapshot {
        let subject = PurgeSubject(request.origin)
        let (lifetime, isOver) = age.addingReportingOverflow(max(0, min(seconds, freshSeconds)))
        var record = OriginRecord(
            key: subject.origin,
            source: subject.source,
            url: subject.url,
            digest: originDigest,
            length: originLength,
            header: ImageHeader(format: .other, width: 0, height: 0),
            entityTag: nil,
            lastModified: nil,
            cacheControl: "must-revalidate",
            freshness: Freshness(responseTime: now, initialAge: age, lifetime: isOver ? 0 : lifetime),
            advertisedLifetime: 0,
            tags: tags
        )
        record.stamp = stamp
        return OriginState(record, progress: progress).snapshot
    }
}

extension PassReason: TaggedValue {
    package var taggedBytes: [UInt8] { rawValue.taggedBytes }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(rawValue: String(decoding: taggedBytes, as: UTF8.self)) }
}

extension ContentCredentials: TaggedValue {
    package var taggedBytes: [UInt8] { rawValue.taggedBytes }

    package init?(taggedBytes: ArraySlice<UInt8>) { self.init(rawValue: String(decoding: taggedBytes, as: UTF8.self)) }
}

extension FoundQuality: TaggedValue {
    /// The quality in one byte, and the score in two, most significant first.
    package var taggedBytes: [UInt8] {
        [UInt8(clamping: quality), UInt8(clamping: score >> 8), UInt8(truncatingIfNeeded: score)]
    }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        let bytes = Array(taggedBytes)
        guard bytes.count == 3 else { return nil }
        self.init(quality: Int(bytes[0]), score: Int(bytes[1]) << 8 | Int(bytes[2]))
        guard (1...100).contains(quality), (1...1_000).contains(score) else { return nil }
    }
}

extension AnimationOutcome: TaggedValue {
    /// Five numbers: the case, two of its values, and the range, which is empty for none.
    package var taggedBytes: [UInt8] {
        let numbers =
            switch self {
            case .kept(let frames, let range): [0, frames, 0, range?.lowerBound ?? 0, range?.upperBound ?? 0]
            case .reduced(let frames, let all, let range):
                [1, frames, all, range?.lowerBound ?? 0, range?.upperBound ?? 0]
            case .frame(let index, let all): [2, index, all, 0, 0]
            case .original(let frames): [3, frames, 0, 0, 0]
            case .uncounted(let frames): [4, frames, 0, 0, 0]
            }
        return numbers.flatMap(\.taggedBytes)
    }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        let numbers = stride(from: taggedBytes.startIndex, to: taggedBytes.endIndex, by: 8).compactMap {
            Int(taggedBytes: taggedBytes[$0..<min($0 + 8, taggedBytes.endIndex)])
        }
        guard taggedBytes.count == 40, numbers.count == 5, numbers[3] <= numbers[4] else { return nil }
        let range = numbers[3] < numbers[4] ? numbers[3]..<numbers[4] : nil
        switch numbers[0] {
        case 0: self = .kept(frames: numbers[1], range: range)
        case 1: self = .reduced(frames: numbers[1], of: numbers[2], range: range)
        case 2: self = .frame(numbers[1], of: numbers[2])
        case 3: self = .original(frames: numbers[1])
        case 4: self = .uncounted(frames: numbers[1])
        default: return nil
        }
    }
}

extension OriginalHints: TaggedValue {
    /// The width, the height, and the placeholder's text; 0 for an unknown size.
    package var taggedBytes: [UInt8] {
        (size?.width ?? 0).taggedBytes + (size?.height ?? 0).taggedBytes + (placeholder?.taggedBytes ?? [])
    }

    package init?(taggedBytes: ArraySlice<UInt8>) {
        let (first, second) = (taggedBytes.prefix(8), taggedBytes.dropFirst(8).prefix(8))
        guard let width = Int(taggedBytes: first), let height = Int(taggedBytes: second) else { return nil }
        self.init(
            size: width > 0 && height > 0 ? PixelSize(width: width, height: height) : nil,
            placeholder: Placeholder(taggedBytes: taggedBytes.dropFirst(16))
        )
    }
}
