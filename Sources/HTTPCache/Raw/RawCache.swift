import LinuxSystem
import Synchronization

/// The two-tier cache of raw sources' responses: in memory, bounded by bytes, and on disk among the originals.
///
/// While a request is in progress, the cache retains its URL's entry regardless of memory eviction and disk state. Changes to
/// an entry are serialised, so none is lost, and are written to the tiers that the source enables. Any thread, unless stated
/// otherwise.
package final class RawCache: Sendable {
    /// An entry in use.
    private struct Held: Sendable {
        var entry: RawEntry
        /// Requests in progress, and disk writes that are not committed.
        var holders = 0
    }

    private struct State: Sendable {
        var held: [CacheKey: Held] = [:]
        /// Incremented whenever the disk's content may have changed; a read begun under an older generation may be outdated.
        var generation: UInt64 = 0
    }

    /// The maximum number of attempts to read an entry.
    private static let attempts = 4

    private let memory: MemoryCache<RawEntry>
    private let disk: (any RawStoring)?
    private let policy: TierPolicy
    private let state = Lock(State())
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: the memory tier's size in bytes.
    ///   - entries: the maximum number of URLs in memory.
    ///   - reserved: the bytes of it that namespaces have for themselves, by name.
    ///   - disk: the disk tier.
    ///   - policy: how the tiers are used.
    package init(
        capacity: Int,
        entries: Int = .max,
        reserved: [String: Int] = [:],
        disk: (any RawStoring)? = nil,
        policy: TierPolicy = TierPolicy()
    ) {
        var configuration = MemoryCache<RawEntry>.Configuration(capacity: capacity)
        configuration.entries = entries
        configuration.reserved = reserved
        memory = MemoryCache(configuration)
        self.disk = disk
        self.policy = policy
    }

    /// Whether there is a disk tier.
    var hasDisk: Bool { disk != nil }
    /// The largest cost that the memory tier accepts, in bytes.
    package var largestCost: Int { memory.largestCost }

    /// Changes the memory tier's capacity, in bytes.
    ///
    /// - Parameter reserved: the bytes of it that namespaces have for themselves, by name.
    package func resize(capacity: Int, reserved: [String: Int] = [:]) {
        memory.resize(capacity: capacity, reserved: reserved)
    }

    /// The bytes that namespaces with a share of their own hold in memory, by name.
    package var reservedBytes: [String: Int] { memory.reservedBytes }

    /// The entries and bytes in memory of each source, as `MemoryCache.use(by:)` counts them.
    package var useBySource: [String: TierUse] { memory.use(by: \.source) }

    /// Sets the memory tier's maximum number of URLs.
    package func setMaximumEntries(_ count: Int) { memory.setMaximumEntries(count) }

    /// Statistics of the memory tier; a hit is a request served without reading the disk or contacting the origin.
    package var statistics: MemoryStatistics {
        var statistics = memory.statistics
        // One request may perform several lookups.
        statistics.hits = hits.load(ordering: .relaxed)
        statistics.misses = misses.load(ordering: .relaxed)
        return statistics
    }

    /// Counts a cacheable request as a hit or a miss.
    func count(isHit: Bool) {
        if isHit { hits.add(1, ordering: .relaxed) } else { misses.add(1, ordering: .relaxed) }
    }

    /// The number of URLs with an entry in use, for tests.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// The entry of a request's URL in memory.
    func remembered(_ request: CacheRequest<some CacheOrigin>) -> RawEntry? {
        request.tiers.keepInMemory ? memory.value(for: request.key) : nil
    }

    /// Marks the request's entry as recently used on disk.
    func touch(_ request: CacheRequest<some CacheOrigin>) {
        if request.tiers.keepOnDisk { disk?.touch(.originals, request.key) }
    }

    /// The entry of a request that has a hold on it.
    func entry(of request: CacheRequest<some CacheOrigin>) -> RawEntry? {
        state.withLock { $0.held[request.key]?.entry }
    }

    /// Retains the entry of a request's URL; returns `nil` if the disk must be read first.
    func hold(_ request: CacheRequest<some CacheOrigin>) -> RawHold? {
        let isElsewhere = request.tiers.keepOnDisk && disk != nil
        let isHeld = state.withLock { state -> Bool in
            guard state.held[request.key] != nil || !isElsewhere || remembered(request) != nil else { return false }
            _ = take(request, found: nil, &state)
            return true
        }
        return isHeld ? makeHold(request.key, isFromDisk: false) : nil
    }

    /// Retains the entry of a request's URL, reading it from disk if no other request holds it; blocks.
    func read(_ request: CacheRequest<some CacheOrigin>) -> RawHold {
        for _ in 0..<Self.attempts {
            let generation = state.withLock { $0.generation }
            let found = disk?.raw(request.key).flatMap { RawEntry($0, about: PurgeSubject(request.origin)) }
            let isFromDisk = state.withLock { state -> Bool? in
                guard state.generation == generation else { return nil }
                return take(request, found: found, &state)
            }
            if let isFromDisk { return makeHold(request.key, isFromDisk: isFromDisk) }
        }
        // The entry changed during every attempt to read it: treat it as a miss.
        return holdUnread(request)
    }

    /// Retains the entry of a request's URL without reading the disk.
    func holdUnread(_ request: CacheRequest<some CacheOrigin>) -> RawHold {
        state.withLock { state in _ = take(request, found: nil, &state) }
        return makeHold(request.key, isFromDisk: false)
    }

    /// - Returns: whether the entry found on disk is now the current one.
    private func take(_ request: CacheRequest<some CacheOrigin>, found: RawEntry?, _ state: inout State) -> Bool {
        let key = request.key
        if state.held[key] != nil {
            state.held[key]?.holders += 1
            return false
        }
        let known = remembered(request)
        let entry = known ?? found ?? RawEntry(PurgeSubject(request.origin))
        state.held[key] = Held(entry: entry, holders: 1)
        guard known == nil, found != nil else { return false }
        if request.tiers.keepInMemory, policy.promotes { remember(entry, for: key) }
        return true
    }

    /// Stores an entry in the memory tier, unless some of its content is in files.
    private func remember(_ entry: RawEntry, for key: CacheKey) {
        if entry.isInMemory {
            memory.insert(entry, for: key, cost: entry.cost, in: entry.namespace)
        } else {
            memory.remove(key)
        }
    }

    private func makeHold(_ key: CacheKey, isFromDisk: Bool) -> RawHold {
        RawHold(isFromDisk: isFromDisk) { [weak self] in self?.release(key) }
    }

    private func release(_ key: CacheKey) {
        state.withLock { state in
            guard let held = state.held[key] else { return }
            if held.holders > 1 { state.held[key]?.holders -= 1 } else { state.held[key] = nil }
        }
    }

    /// Changes the stored responses of the URL of a request that has a hold on it.
    ///
    /// - Parameter persists: whether to write the change to disk.
    func change(_ request: CacheRequest<some CacheOrigin>, persists: Bool = true, _ change: (inout RawEntry) -> Void) {
        let key = request.key
        let isStored = state.withLock { state -> Bool in
            var held = state.held[key] ?? Held(entry: remembered(request) ?? RawEntry(PurgeSubject(request.origin)))
            let had = !held.entry.responses.isEmpty
            change(&held.entry)
            defer { if held.holders > 0 { state.held[key] = held } }
            if request.tiers.keepInMemory, policy.fillsMemory || remembered(request) != nil {
                remember(held.entry, for: key)
            }
            guard persists, request.tiers.keepOnDisk, let disk else { return false }
            state.generation &+= 1
            let content = RawContent(held.entry, of: request.origin)
            guard !held.entry.responses.isEmpty, disk.store(raw: content) else {
                // The copy on disk is outdated.
                if had { remove(key, from: disk) }
                return false
            }
            held.holders += 1
            return true
        }
        // Until the write is committed, the entry is only found here.
        if isStored { disk?.flush { [weak self] in self?.release(key) } }
    }

    private func remove(_ key: CacheKey, from disk: any RawStoring) {
        let selection = PurgeSelection.originals([key])
        if disk.tombstone(selection) { _ = disk.remove(selection, completion: nil) }
    }

    /// Removes the stored responses of a URL.
    ///
    /// - Parameter taint: called once old responses can no longer be read from disk, before they are removed.
    func drop(_ origin: some CacheOrigin, taint: () -> Void) {
        let selection = PurgeSelection.originals([origin.key])
        let disk = origin.rule.cache.originals.keepOnDisk ? disk : nil
        let isTombstoned = disk?.tombstone(selection) ?? false
        taint()
        state.withLock { state in
            state.generation &+= 1
            state.held[origin.key]?.entry = RawEntry(PurgeSubject(origin))
            memory.remove(origin.key)
            if isTombstoned { _ = disk?.remove(selection, completion: nil) }
        }
    }

    /// Removes the responses that a purge selects, or marks them as stale, in memory only; the disk must hide them already.
    ///
    /// - Returns: the number of URLs in memory that were affected.
    func purge(_ purge: Purge) -> Int {
        state.withLock { state in
            state.generation &+= 1
            for key in state.held.keys { state.held[key]?.entry.purge(purge) }
            var found: [(key: CacheKey, entry: RawEntry)] = []
            _ = memory.count { key, entry in
                if entry.holds(purge.selection) { found.append((key, entry)) }
                return false
            }
            for (key, entry) in found {
                var entry = entry
                entry.purge(purge)
                if entry.responses.isEmpty {
                    memory.remove(key)
                } else {
                    memory.insert(entry, for: key, cost: entry.cost, in: entry.namespace)
                }
            }
            return found.count
        }
    }

    /// Drops the entries in memory with a response that a selection includes; those in use and those on disk remain.
    ///
    /// - Returns: the number of dropped entries.
    package func evict(_ selection: PurgeSelection) -> Int { memory.removeAll { $1.holds(selection) } }

    /// The number of URLs in memory that a purge would affect.
    package func count(_ selection: PurgeSelection) -> Int {
        memory.count { $1.holds(selection) }
    }
}
