package import HTTPCache
package import ImagePlan
package import LinuxSystem
import Synchronization

/// A response body with its metadata, ready to be sent: the value type of the memory cache.
///
/// Immutable and shared; an entity that is evicted while being sent is freed after the last send.
package final class Entity: Sendable {
    /// The location of the bytes.
    package enum Body: Sendable {
        case memory([UInt8])
        /// A file on disk, or in memory (`BodyTable`).
        case file(SharedDescriptor, length: Int)
        /// Bytes that are still arriving.
        case growing(GrowingFile)

        /// The length in bytes; 0 if it is not known yet.
        package var length: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .file(_, let length): length
            case .growing(let file): file.expected ?? 0
            }
        }

        /// Returns a copy of the bytes; `nil` if the file cannot be read, or they are still arriving.
        func copied() -> [UInt8]? {
            switch self {
            case .memory(let bytes): bytes
            case .file(let file, let length): file.read(count: length)
            case .growing: nil
            }
        }
    }

    package let description: EntityDescription
    package let body: Body
    /// The freshness shared with the original's other variants.
    package let origin: OriginState
    /// The version of `origin` for which this entity was made.
    package let originVersion: UInt64
    /// The digest of the original's body.
    package let originDigest: CacheKey
    /// The auxiliary images' originals, in the request's order.
    let auxiliaries: [AuxiliaryUse]
    /// The response header fields that are constant for this entity, encoded once.
    package let fields: [UInt8]
    /// The format of the bytes.
    package let format: EntityFormat
    /// How many bytes fewer than the original this has; negative if it has more, 0 while it is arriving.
    package let savedBytes: Int
    /// The same content in the content coding gzip; `nil` if it is not text, or does not become smaller.
    package let compressed: Entity?
    /// Its part in bytes that several entities share; `nil` if it is not in memory, or shares nothing.
    let lease: BodyLease?
    /// What another request with the same result needs; `nil` if there is none.
    let facts: VariantFacts?
    /// Whether another node has made it and owns the original: it is used only while it is fresh, which is for seconds.
    let isHotCopy: Bool
    /// Whether it may be cached in memory.
    let isCacheable: Bool
    /// When a use was last noted, in wall-clock seconds.
    private let notedUse: Atomic<Int64>
    /// The number of uses noted.
    private let uses = Atomic<Int>(0)
    private let triedAgain = Atomic<Bool>(false)
    private let ownFile = AtomicLazyReference<BareFile>()
    /// The plan and presets that made it, for purging.
    private let plan: String?
    private let presets: [String]

    init(
        description: EntityDescription,
        body: Body,
        origin: OriginSnapshot,
        fields: [UInt8],
        subject: PurgeSubject? = nil,
        auxiliaries: [AuxiliaryUse] = [],
        lease: BodyLease? = nil,
        facts: VariantFacts? = nil,
        compressed: Entity? = nil,
        isHotCopy: Bool = false,
        isCacheable: Bool = false
    ) {
        self.isHotCopy = isHotCopy
        self.isCacheable = isCacheable
        self.compressed = compressed
        self.auxiliaries = auxiliaries
        self.lease = lease
        self.facts = facts
        plan = subject?.plan
        presets = subject?.presets ?? []
        self.description = description
        let body = lease?.body ?? body
        self.body = body
        self.origin = origin.state
        originVersion = origin.version
        originDigest = origin.record.digest
        self.fields = fields
        format = EntityFormat(mediaType: description.mediaType)
        savedBytes = description.isArriving ? 0 : origin.record.length - body.length
        notedUse = Atomic(.min)
    }

    /// Notes a use, at most once per `useInterval`; thread-safe.
    ///
    /// - Returns: the number of uses noted, this one included, if it was noted; otherwise `nil`.
    @inline(__always)
    func noteUse(at now: Int64) -> Int? {
        let noted = notedUse.load(ordering: .relaxed)
        // If the clock went back, the difference wraps to a large value.
        guard UInt64(bitPattern: now &- noted) >= Self.useInterval else { return nil }
        guard notedUse.compareExchange(expected: noted, desired: now, ordering: .relaxed).exchanged else { return nil }
        return uses.add(1, ordering: .relaxed).newValue
    }

    /// Whether it has been encoded again, or that was tried; thread-safe.
    var isRecompressed: Bool { triedAgain.load(ordering: .relaxed) }

    /// Notes that it has been encoded again, or that it cannot be.
    func noteRecompression() { triedAgain.store(true, ordering: .relaxed) }

    /// The bare file of the body; `nil` if there is none, or it is not known yet.
    package var bareFile: BareFile? { ownFile.load().flatMap { $0.isThere ? $0 : nil } }

    /// Notes the path of the body's bare file, always the same; `nil` if it does not exist.
    func noteBareFile(_ path: String?) {
        let known = ownFile.load() ?? path.map { ownFile.storeIfNil(BareFile(path: $0)) }
        known?.note(exists: path != nil)
    }

    /// Whether the bytes are the original's own, which are stored as an original and not as a variant.
    var isOriginal: Bool { facts == nil && description.digest == originDigest }

    /// Minimum seconds between two uses that are noted.
    private static let useInterval: UInt64 = 60

    /// Whether the original and the auxiliary images are unchanged, in bytes and metadata, since this was made.
    package var isCurrent: Bool { origin.version == originVersion && (auxiliaries.isEmpty || hasCurrentAuxiliaries) }

    /// The subject that purges match.
    var subject: PurgeSubject {
        var subject = PurgeSubject(origin.record)
        subject.plan = plan
        subject.presets = presets
        subject.auxiliaries = auxiliaries.map { PurgeSubject($0.state.record) }
        return subject
    }

    /// Whether a purge selects it.
    func isSelected(by selection: PurgeSelection) -> Bool {
        switch selection {
        // The frequent form, and the subject is expensive.
        case .originals(let keys): keys.contains(origin.key) || auxiliaries.contains { keys.contains($0.state.key) }
        case .all: true
        default: selection.covers(subject) == true
        }
    }

    /// Whether it is a temporary substitute, served until the final variant is made.
    @inline(__always)
    package var isStandIn: Bool { description.standIn != nil }

    /// Its cost in the memory cache, in bytes.
    var cost: Int { body.length + fields.count + 512 + (compressed?.cost ?? 0) }
}

/// The metadata of an entity from which response header fields are made.
package struct EntityDescription: Hashable, Sendable {
    /// `Content-Type`.
    package var mediaType: String
    /// The SHA-256 of the bytes, for the strong entity tag; meaningless while they are arriving.
    package var digest: CacheKey
    /// Whether the bytes are still arriving, so that there is no entity tag yet.
    package var isArriving = false
    package var length: Int
    /// The origin's `Last-Modified`, unparsed.
    package var lastModified: String?
    /// The origin's `Cache-Control`, unparsed; `nil` if it sent none.
    package var cacheControl: String?
    /// The `max-age` to send if the origin stated no lifetime, in seconds.
    package var advertisedLifetime: Int64
    /// Header fields that describe the original; `nil` unless the source enables them.
    package var hints: OriginalHints?
    /// The `Content-Encoding`, set for compressed SVG; `nil` for none.
    package var contentCoding: String?
    /// Whether it is the JPEG XL that stands for a bare original.
    package var isTranscoded = false
    /// Whether clients get the content coding that their `Accept-Encoding` selects.
    package var variesByCoding = false
    /// Set if the entity is a temporary substitute for the requested variant.
    package var standIn: StandIn?
    /// How the original's frames were handled; `nil` unless it is an animation.
    package var animation: AnimationOutcome?
    /// What became of the original's C2PA manifests; `nil` if it has none.
    package var credentials: ContentCredentials?
    /// The quality that `q=auto` found; `nil` without a search.
    package var quality: FoundQuality?
    /// Whether it is content other than an image, of which a browser must run no script.
    package var isSandboxed = false
    /// Why it is the unchanged original in place of the requested variant; `nil` if it is what was requested.
    package var passReason: PassReason?
}
