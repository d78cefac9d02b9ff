import LinuxSystem
import Synchronization

/// The stored responses of raw sources: in memory, bounded by their bytes, and on disk among the originals.
///
/// While a request is under way its URL's entry is held here, whatever memory evicts and however far the disk is: changes to it
/// happen one after another, so that none is lost, and go to memory and disk as its source has it. Any thread but where it says.
package final class RawCache: Sendable {
    /// An entry in use.
    private struct Held: Sendable {
        var entry: RawEntry
        /// Requests under way, and stores that are not committed.
        var holders = 0
    }

    private struct State: Sendable {
        var held: [CacheKey: Held] = [:]
        /// Changes whenever what the disk has may have: what was read before may be old.
        var generation: UInt64 = 0
    }

    /// Readings of one entry.
    private static let attempts = 4

    private let memory: MemoryCache<RawEntry>
    private let disk: (any RawStoring)?
    private let state = Lock(State())
    private let hits = Atomic<Int>(0)
    private let misses = Atomic<Int>(0)

    /// Creates a cache with nothing in memory.
    ///
    /// - Parameters:
    ///   - capacity: bytes.
    ///   - disk: the second tier.
    package init(capacity: Int, disk: (any RawStoring)? = nil) {
        memory = MemoryCache(MemoryCache.Configuration(capacity: capacity))
        self.disk = disk
    }

    /// The largest cost that memory takes, in bytes.
    package var largestCost: Int { memory.largestCost }

    /// Gives the memory another capacity in bytes.
    package func resize(capacity: Int) { memory.resize(capacity: capacity) }

    /// What the memory holds and has done: a hit is a request that was answered without looking further.
    package var statistics: MemoryStatistics {
        var statistics = memory.statistics
        // A request looks more than once.
        statistics.hits = hits.load(ordering: .relaxed)
        statistics.misses = misses.load(ordering: .relaxed)
        return statistics
    }

    /// Counts a request that stored responses might have answered.
    func count(isHit: Bool) {
        if isHit { hits.add(1, ordering: .relaxed) } else { misses.add(1, ordering: .relaxed) }
    }

    /// URLs whose entries are in use, for tests.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// What memory has for a request's URL.
    func remembered(_ request: CacheRequest<some CacheOrigin>) -> RawEntry? {
        request.tiers.keepInMemory ? memory.value(for: request.key) : nil
    }

    /// Tells the disk that something was used, so that it stays.
    func touch(_ request: CacheRequest<some CacheOrigin>) {
        if request.tiers.keepOnDisk { disk?.touch(.originals, request.key) }
    }

    /// The entry of a request that holds it.
    func entry(of request: CacheRequest<some CacheOrigin>) -> RawEntry? {
        state.withLock { $0.held[request.key]?.entry }
    }

    /// Holds the entry of a request's URL; `nil` where the disk must be read for it.
    func hold(_ request: CacheRequest<some CacheOrigin>) -> RawHold? {
        let isElsewhere = request.tiers.keepOnDisk && disk != nil
        let isHeld = state.withLock { state -> Bool in
            guard state.held[request.key] != nil || !isElsewhere || remembered(request) != nil else { return false }
            _ = take(request, found: nil, &state)
            return true
        }
        return isHeld ? makeHold(request.key, isFromDisk: false) : nil
    }

    /// Holds the entry of a request's URL, as the disk has it if nobody else holds it; blocks.
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
        // Everything changes faster than it is read: a miss.
        return holdUnread(request)
    }

    /// Holds the entry of a request's URL without what the disk may have.
    func holdUnread(_ request: CacheRequest<some CacheOrigin>) -> RawHold {
        state.withLock { state in _ = take(request, found: nil, &state) }
        return makeHold(request.key, isFromDisk: false)
    }

    /// - Returns: whether what was found is what counts now.
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
        if request.tiers.keepInMemory { memory.insert(entry, for: key, cost: entry.cost) }
        return true
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

    /// Changes what is stored for the URL of a request that holds it.
    ///
    /// - Parameter persists: whether the change is worth writing to disk.
    func change(_ request: CacheRequest<some CacheOrigin>, persists: Bool = true, _ change: (inout RawEntry) -> Void) {
        let key = request.key
        let isStored = state.withLock { state -> Bool in
            var held = state.held[key] ?? Held(entry: remembered(request) ?? RawEntry(PurgeSubject(request.origin)))
            let had = !held.entry.responses.isEmpty
            change(&held.entry)
            defer { if held.holders > 0 { state.held[key] = held } }
            if request.tiers.keepInMemory { memory.insert(held.entry, for: key, cost: held.entry.cost) }
            guard persists, request.tiers.keepOnDisk, let disk else { return false }
            state.generation &+= 1
            let content = RawContent(held.entry, of: request.origin)
            guard !held.entry.responses.isEmpty, disk.store(raw: content) else {
                // What is there is not right any more.
                if had { remove(key, from: disk) }
                return false
            }
            held.holders += 1
            return true
        }
        // Until then it is found here only.
        if isStored { disk?.flush { [weak self] in self?.release(key) } }
    }

    private func remove(_ key: CacheKey, from disk: any RawStoring) {
        let selection = PurgeSelection.originals([key])
        if disk.tombstone(selection) { _ = disk.remove(selection, completion: nil) }
    }

    /// Drops what is stored for a URL.
    ///
    /// - Parameter taint: called when nothing old can be read any more, before it is dropped.
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

    /// Drops the responses that a purge is about, or lets them count as stale: here, not on disk, which must hide them already.
    ///
    /// - Returns: of how many URLs in memory.
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
                    memory.insert(entry, for: key, cost: entry.cost)
                }
            }
            return found.count
        }
    }

    /// How many URLs in memory a purge is about.
    package func count(_ selection: PurgeSelection) -> Int {
        memory.count { $1.holds(selection) }
    }
}
