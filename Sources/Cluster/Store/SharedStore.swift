package import HTTPCache
package import LinuxSystem
package import OriginTransfer

/// The tier that the nodes of a cluster share: a bucket of an S3 store.
///
/// Reads are bounded in time and never repeated; writes are queued (`StoreQueue`). What is read is verified: contents and records by
/// their SHA-256 digests, and their place in the log of purges by `verdict`. Anyone who may write to the bucket decides what is served.
package final class SharedStore: SharedStoring {
    /// The settings of a store.
    package struct Configuration: Sendable {
        package var bucket: ObjectBucket
        package var credentials: SourceCredentials?
        /// The limits of one read.
        package var reading: ObjectRequest.Patience
        /// The limits of one write.
        package var writing = ObjectRequest.Patience(firstByte: 10_000, rest: 10_000, rate: 1 << 20)
        /// Results whose making took at least this long are stored, in milliseconds.
        package var results = 50
        /// Maximum bytes of a result or a mezzanine that is read.
        package var largestResult = StoreObject.maximumResult
        /// Where what is read is kept, and which accounts bound it.
        package var room = ObjectRoom()
        /// Maximum bytes that wait to be written.
        package var queue = 64 << 20
        /// Maximum reads in progress.
        package var reads = 64
        /// Threads that write.
        package var writers = 2
        package var breaker = CircuitBreaker.Policy()
        /// Called when the store is left alone because it keeps failing, with the reason, and when it is used again, with `nil`; any
        /// thread, must not block.
        package var changed: @Sendable (Access, _ reason: String?) -> Void = { _, _ in }
        /// Whether this release can read an object's metadata; otherwise the object is a miss, and stays for nodes of later releases.
        package var isReadable: @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true }
        /// The version of the encoders: nodes share results only with nodes that have the same.
        package var encoders: String

        /// Creates settings.
        package init(
            bucket: ObjectBucket,
            credentials: SourceCredentials?,
            reading: ObjectRequest.Patience = ObjectRequest.Patience(firstByte: 150),
            encoders: String
        ) {
            self.bucket = bucket
            self.credentials = credentials
            self.reading = reading
            self.encoders = encoders
        }
    }

    /// What the store is used for.
    package enum Access: String, Sendable {
        case reads, writes
    }

    /// With fewer writes than this before it, a write is likely to be done within a second.
    private static let promptWrites = 64

    let configuration: Configuration
    let time: any TimeSource
    let reader: ObjectClient
    let readBreaker: SharedBreaker
    let clock: StoreClock
    let verdict: @Sendable (PurgeSubject, SharedPlace) -> SharedVerdict
    private let currentPlace: @Sendable () -> SharedPlace
    private let writer: ObjectClient
    private let writeBreaker: SharedBreaker
    /// The writes that wait.
    package let queue: StoreQueue
    private let counts: Counts

    /// The counts, which the writer shares.
    private final class Counts: Sendable {
        let value = Lock(StoreStatistics())
    }

    /// Starts the store's threads; nothing is requested yet.
    ///
    /// - Parameters:
    ///   - place: the place up to which this node has applied purges; any thread.
    ///   - verdict: what the purges since a place mean for a subject; any thread.
    /// - Throws: `Errno` if the system cannot create a thread.
    package init(
        _ configuration: Configuration,
        time: any TimeSource = SystemTime(),
        place: @escaping @Sendable () -> SharedPlace,
        verdict: @escaping @Sendable (PurgeSubject, SharedPlace) -> SharedVerdict
    ) throws(Errno) {
        self.configuration = configuration
        self.time = time
        self.verdict = verdict
        currentPlace = place
        let (bucket, credentials) = (configuration.bucket, configuration.credentials)
        let maximum = max(1, configuration.reads)
        reader = try ObjectClient(
            bucket,
            credentials: credentials,
            maximum: maximum,
            room: configuration.room,
            name: "store-reads",
            time: time
        )
        writer = try ObjectClient(bucket, credentials: credentials, maximum: 64, name: "store-writes", time: time)
        let changed = configuration.changed
        readBreaker = SharedBreaker(configuration.breaker, time: time) { changed(.reads, $0) }
        writeBreaker = SharedBreaker(configuration.breaker, time: time) { changed(.writes, $0) }
        clock = StoreClock(time: time)
        queue = StoreQueue(bytes: configuration.queue)
        let counts = Counts()
        self.counts = counts
        let writing = StoreWriter(
            queue,
            client: writer,
            breaker: writeBreaker,
            clock: clock,
            time: time,
            patience: configuration.writing,
            isReadable: configuration.isReadable,
            verdict: verdict
        ) { change in counts.value.withLock { change(&$0) } }
        for _ in 0..<max(1, configuration.writers) { try SystemThread.start(name: "store-queue") { writing.run() } }
    }

    deinit { close() }

    /// Ends the threads; look-ups then miss, and writes are dropped.
    ///
    /// - Parameter milliseconds: the longest time to wait for queued writes.
    package func close(waiting milliseconds: Int = 0) {
        if milliseconds > 0 { queue.waitUntilEmpty(nanoseconds: Int64(milliseconds) * 1_000_000) }
        queue.close()
        reader.close()
        writer.close()
    }

    /// The counts since the start.
    package var statistics: StoreStatistics {
        var statistics = counts.value.withLock { $0 }
        let queued = queue.counts
        statistics.queued = queued.queued
        statistics.queuedBytes = queued.bytes
        statistics.dropped += queued.dropped
        statistics.isReadingSuspended = readBreaker.isOpen
        statistics.isWritingSuspended = writeBreaker.isOpen
        return statistics
    }

    func note(_ change: (inout StoreStatistics) -> Void) { counts.value.withLock { change(&$0) } }

    package var place: SharedPlace { currentPlace() }
    package var isAvailable: Bool { readBreaker.isAdmitting }
    package var isWritingPromptly: Bool { !writeBreaker.isOpen && queue.counts.queued < Self.promptWrites }

    /// The hash of a plan with the version of the encoders.
    func plan(_ plan: CacheKey, of kind: StoreObject.Kind = .result) -> CacheKey {
        CacheKey(hashing: "\(kind.rawValue)/1\n\(configuration.encoders)\n\(plan)")
    }

    // MARK: Writing

    package func store(
        original record: OriginRecord,
        body: OriginBody?,
        at place: SharedPlace,
        completion: (@Sendable (Bool) -> Void)?
    ) {
        let key = StoreObject.metaKey(record.key)
        var item = StoreQueue.Item(key: key, work: .original(record, body, place), subject: PurgeSubject(record))
        item.completion = completion.map { StoreCompletion($0) }
        queue.add(item)
    }

    package func store(
        result record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace,
        milliseconds: Int
    ) {
        guard milliseconds >= configuration.results else { return }
        let plan = self.plan(plan)
        let key = StoreObject.key(.result, plan, of: record.originDigest)
        queue.add(StoreQueue.Item(key: key, work: .result(record, bytes, plan: plan, place), subject: subject))
    }

    package func store(
        mezzanine record: VariantRecord,
        bytes: [UInt8],
        plan: CacheKey,
        for subject: PurgeSubject,
        at place: SharedPlace
    ) {
        let plan = self.plan(plan, of: .mezzanine)
        let key = StoreObject.key(.mezzanine, plan, of: record.originDigest)
        queue.add(StoreQueue.Item(key: key, work: .mezzanine(record, bytes, plan: plan, place), subject: subject))
    }

    package func remove(original key: CacheKey) { remove(StoreObject.metaKey(key)) }

    /// Queues the removal of an object.
    func remove(_ key: String) { queue.add(StoreQueue.Item(key: key, work: .removal)) }

    package func purge(_ selection: PurgeSelection) { queue.purge(selection) }
}
