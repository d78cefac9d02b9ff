/// A place in the log of purges that the nodes of a cluster share: up to which entry a node has applied them.
package struct SharedPlace: Hashable, Sendable {
    /// The number of the entry; 0 before the first.
    package var sequence: Int64
    /// Which log it is; empty for none.
    package var log: String

    /// Creates a place.
    package init(sequence: Int64 = 0, log: String = "") {
        self.sequence = sequence
        self.log = log
    }
}

/// What the purges since a place mean for an object of the shared store.
package enum SharedVerdict: Hashable, Sendable {
    /// All of them are known, and none selects it.
    case usable
    /// Not all of them are known, or one has marked it as stale: the origin must validate it.
    case stale
    /// One of them selects it.
    case purged
}

/// An original that a node has written to the shared store.
package struct SharedOriginal: Sendable {
    /// The record, with times of this node's clock.
    package var record: OriginRecord
    /// The content; `nil` if it was not asked for, or is not stored.
    package var body: OriginBody?
    /// Whether the origin must validate it before it is used.
    package var needsValidation: Bool

    /// Creates an original.
    package init(record: OriginRecord, body: OriginBody?, needsValidation: Bool) {
        self.record = record
        self.body = body
        self.needsValidation = needsValidation
    }
}

/// A result, or a mezzanine, that a node has written to the shared store.
package struct SharedResult: Sendable {
    package var record: VariantRecord
    package var bytes: [UInt8]

    /// Creates a result.
    package init(record: VariantRecord, bytes: [UInt8]) {
        self.record = record
        self.bytes = bytes
    }
}

/// A result or mezzanine from the shared store, still encoded.
package struct ReceivedResult: Sendable {
    private let decode: @Sendable () -> SharedResult?

    /// Creates a result that is still encoded.
    ///
    /// - Parameter decode: verifies and decodes it; `nil` if it cannot be used.
    package init(decode: @escaping @Sendable () -> SharedResult?) { self.decode = decode }

    /// Verifies and decodes it, once; `nil` if it cannot be used.
    ///
    /// Hashes all bytes, which takes long for large ones: not to be called on a thread of the store, which has other reads to do.
    package func decoded() -> SharedResult? { decode() }
}

/// The interface of the tier that the nodes of a cluster share, for the stages.
///
/// Nothing throws: failures are misses. Look-ups return immediately and call back once, on a thread of the store or before they
/// return; the store bounds how long they take. Writes are queued.
package protocol SharedStoring: Sendable {
    /// The place up to which this node has applied purges; taken before the origin is asked, or a result is made.
    var place: SharedPlace { get }
    /// Whether look-ups are sent: the store has not failed repeatedly.
    var isAvailable: Bool { get }
    /// Whether what is queued is likely to be written soon: writes do not fail, and few are waiting.
    var isWritingPromptly: Bool { get }

    /// Looks up an original.
    ///
    /// - Parameters:
    ///   - limit: the maximum bytes of its content; a longer one is a miss.
    ///   - needsBody: whether to fetch its content, too.
    func find(
        original key: CacheKey,
        atMost limit: Int,
        needsBody: Bool,
        completion: @escaping @Sendable (SharedOriginal?) -> Void
    )
    /// Looks up the content of an original whose record is known.
    func find(bodyOf record: OriginRecord, completion: @escaping @Sendable (OriginBody?) -> Void)
    /// Looks up a result.
    ///
    /// - Parameters:
    ///   - plan: the hash of everything that the bytes depend on besides the original's content.
    ///   - digest: the digest of the original's content.
    ///   - subject: what purges match the request against.
    func find(
        result plan: CacheKey,
        of digest: CacheKey,
        for subject: PurgeSubject,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    )

    /// Looks up a mezzanine, which is as immutable as the content that it was made of.
    ///
    /// - Parameters:
    ///   - plan: the hash of everything that the bytes depend on besides the original's content.
    ///   - digest: the digest of the original's content.
    func find(
        mezzanine plan: CacheKey,
        of digest: CacheKey,
        completion: @escaping @Sendable (ReceivedResult?) -> Void
    )

    /// Queues an original; without a body only its record (a 304).
    ///
    /// - Parameters:
    ///   - place: the place when its download began.
    ///   - completion: called once with whether the store has it, or something newer; any thread, must not block. `nil` if nobody
    ///     waits for it.
    func store(
        original record: OriginRecord,
        body: OriginBody?,
        at place: SharedPlace,
        completion: (@Sendable (Bool) -> Void)?
    )
    /// Queues a result, if making it took long enough.
    ///
    /// - Parameters:
    ///   - subject: what purges match it against.
    ///   - place: the place when its making began.
    ///   - milliseconds: how long it took.
    func store(
        result record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace,
        milliseconds: Int
    )
    /// Queues a mezzanine, which is written if the store has none of the same content and plan.
    ///
    /// - Parameters:
    ///   - subject: what purges match it against while it waits.
    ///   - place: the place when its making began.
    func store(
        mezzanine record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace
    )
    /// Queues the removal of a mezzanine that is useless, which otherwise no node would replace.
    ///
    /// - Parameters:
    ///   - plan: the hash of everything that the bytes depend on besides the original's content.
    ///   - digest: the digest of the original's content.
    func discard(mezzanine plan: CacheKey, of digest: CacheKey)
    /// Queues the removal of an original's record, which must not be used any longer.
    func remove(original key: CacheKey)
    /// Drops the queued writes that a purge selects. Those that are stored already are unusable by their place.
    func purge(_ selection: PurgeSelection)
}

extension SharedStoring {
    /// Queues an original that nobody waits for.
    package func store(original record: OriginRecord, body: OriginBody?, at place: SharedPlace) {
        store(original: record, body: body, at: place, completion: nil)
    }
}
