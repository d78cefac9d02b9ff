package import HTTPCache
package import ImagePlan
package import LinuxSystem
import Synchronization

/// Bytes ready to be sent, and all that an answer with them says: what the memory cache keeps and what every answer is.
///
/// Immutable and shared: an entity that is evicted while it is being sent lives until the last client has it.
package final class Entity: Sendable {
    /// The bytes' place.
    package enum Body: Sendable {
        case memory([UInt8])
        case file(SharedDescriptor, length: Int)

        /// Bytes.
        package var length: Int {
            switch self {
            case .memory(let bytes): bytes.count
            case .file(_, let length): length
            }
        }
    }

    package let description: EntityDescription
    package let body: Body
    /// The freshness shared with the original's other variants.
    package let origin: OriginState
    /// The state's version that this entity belongs to.
    package let originVersion: UInt64
    /// The original's body that this was made from.
    package let originDigest: CacheKey
    /// The other originals that this was made with, in the request's order.
    let ingredients: [IngredientUse]
    /// The answer's header fields that never change for this entity, encoded once by the presentation of the configuration.
    package let fields: [UInt8]
    /// When the disk was last told that this is in use, seconds of the wall clock.
    private let notedUse: Atomic<Int64>
    /// What it was made by, for purging.
    private let plan: String?
    private let presets: [String]

    init(
        description: EntityDescription,
        body: Body,
        origin: OriginSnapshot,
        fields: [UInt8],
        subject: PurgeSubject? = nil,
        ingredients: [IngredientUse] = []
    ) {
        self.ingredients = ingredients
        plan = subject?.plan
        presets = subject?.presets ?? []
        self.description = description
        self.body = body
        self.origin = origin.state
        originVersion = origin.version
        originDigest = origin.record.digest
        self.fields = fields
        notedUse = Atomic(.min)
    }

    /// Whether the disk should hear of a use: once in so many seconds, however often it is used; any thread.
    @inline(__always)
    func isUseDue(at now: Int64) -> Bool {
        let noted = notedUse.load(ordering: .relaxed)
        // A clock that went back counts as a long time.
        guard UInt64(bitPattern: now &- noted) >= Self.useInterval else { return false }
        return notedUse.compareExchange(expected: noted, desired: now, ordering: .relaxed).exchanged
    }

    /// Seconds between two uses that the disk hears of.
    private static let useInterval: UInt64 = 60

    /// Whether the original still is what this was made from, and says what it said; and so do the others that it was made with.
    package var isCurrent: Bool { origin.version == originVersion && (ingredients.isEmpty || hasCurrentIngredients) }

    /// What it is about, for purging.
    var subject: PurgeSubject {
        var subject = PurgeSubject(origin.record)
        subject.plan = plan
        subject.presets = presets
        subject.ingredients = ingredients.map { PurgeSubject($0.state.record) }
        return subject
    }

    /// Whether it is served until a better one is made.
    @inline(__always)
    package var isStandIn: Bool { description.standIn != nil }

    /// Bytes that the entity costs in memory, for the memory cache's bound.
    var cost: Int { body.length + fields.count + 512 }
}

/// What an answer's header says of an entity.
package struct EntityDescription: Hashable, Sendable {
    /// `Content-Type`.
    package var mediaType: String
    /// SHA-256 of the bytes, for the strong entity tag.
    package var digest: CacheKey
    package var length: Int
    /// The origin's `Last-Modified`, raw.
    package var lastModified: String?
    /// The origin's `Cache-Control`, raw; `nil` where it said nothing.
    package var cacheControl: String?
    /// `max-age` to tell where the origin said nothing, seconds.
    package var advertisedLifetime: Int64
    /// What is told of the original beside the picture; `nil` where the source does not ask for it.
    package var hints: OriginalHints?
    /// `Content-Encoding`, as compressed SVG is kept and served; `nil` for none.
    package var contentCoding: String?
    /// What it stands in for; `nil` for what was asked.
    package var standIn: StandIn?
    /// What became of the original's frames; `nil` where it is no animation.
    package var animation: AnimationOutcome?
    /// Whether it is the original in place of a picture that its origin forbids to make (`no-transform: obey`).
    package var isUntransformed = false
}
