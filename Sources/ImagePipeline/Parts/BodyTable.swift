import HTTPCache
import LinuxSystem

/// The bodies and the resolved variants in the memory cache: equal bytes are held, and counted, once.
///
/// The first entity with a body pays for its bytes. Entities of other keys with equal bytes borrow them, and cost their fields only;
/// they leave memory together with the entity that pays. A request's key finds its entity directly: a hit does not touch this table.
/// Any thread.
final class BodyTable: Sendable {
    /// The entities of one body.
    private struct Body: Sendable {
        var bytes: [UInt8]
        /// The lease that pays for the bytes.
        var payer: UInt64
        var payerKey: CacheKey
        /// The other leases, by key.
        var borrowers: [CacheKey: UInt64] = [:]
    }

    private struct State: Sendable {
        var bodies: [BodyLease.Content: Body] = [:]
        /// The entity of a resolved key.
        var resolved: [CacheKey: Entity] = [:]
        var lastNumber: UInt64 = 0
    }

    /// Shorter bodies are not shared: the table would take as much memory.
    static let shortest = 1024
    /// The most borrowers of a body; further entities pay for their own bytes.
    static let mostBorrowers = 64

    private let state = Lock(State())

    /// Takes a lease of a body for an entity that is about to be cached under a key; `nil` for a body that is not shared.
    func lease(_ bytes: [UInt8], digest: CacheKey, for key: CacheKey, in scope: BodyScope) -> BodyLease? {
        guard bytes.count >= Self.shortest else { return nil }
        let content = BodyLease.Content(scope: scope, digest: digest, length: bytes.count)
        return state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            guard var body = state.bodies[content] else {
                state.bodies[content] = Body(bytes: bytes, payer: number, payerKey: key)
                return BodyLease(content: content, key: key, number: number, bytes: bytes)
            }
            if body.payerKey == key {
                body.payer = number
            } else {
                guard body.borrowers.count < Self.mostBorrowers || body.borrowers[key] != nil else { return nil }
                body.borrowers[key] = number
            }
            state.bodies[content] = body
            return BodyLease(content: content, key: key, number: number, bytes: body.bytes)
        }
    }

    /// Caches an entity with its lease, and makes it known by its resolved key.
    ///
    /// - Parameter origin: the original, in the part of the memory that its namespace has.
    func insert(_ entity: Entity, for key: CacheKey, of origin: OriginRecord, in memory: MemoryCache<Entity>) {
        let namespace = origin.namespace
        let borrows = entity.lease.map(isBorrowed) ?? false
        let cost = borrows ? entity.cost - entity.body.length : entity.cost
        guard memory.insert(entity, for: key, cost: cost, in: namespace) else { return release(entity, in: memory) }
        // If the cache has dropped the payer meanwhile, the entity pays for its bytes itself.
        if borrows, let lease = entity.lease, !isBorrowed(lease) {
            memory.insert(entity, for: key, cost: entity.cost, in: namespace)
        }
        // Last, since replacing the entity by itself releases it.
        if let resolved = entity.facts?.resolved { state.withLock { $0.resolved[resolved] = entity } }
        // It may have been dropped before it was known.
        if memory.contains(key, where: { $0 === entity }) { return }
        release(entity, in: memory)
    }

    /// Forgets an entity that has left memory, with those that borrow its bytes.
    func release(_ entity: Entity, in memory: MemoryCache<Entity>) {
        let borrowers = state.withLock { state -> [CacheKey: UInt64] in
            if let resolved = entity.facts?.resolved, state.resolved[resolved] === entity {
                state.resolved[resolved] = nil
            }
            guard let lease = entity.lease, let body = state.bodies[lease.content] else { return [:] }
            if body.payer == lease.number {
                state.bodies[lease.content] = nil
                return body.borrowers
            }
            if body.borrowers[lease.key] == lease.number {
                state.bodies[lease.content]?.borrowers[lease.key] = nil
            }
            return [:]
        }
        for (key, number) in borrowers { memory.remove(key) { $0.lease?.number == number } }
    }

    /// The entity in memory of a resolved key.
    func entity(resolved key: CacheKey) -> Entity? { state.withLock { $0.resolved[key] } }

    /// Forgets which entities have which resolved keys, so that later requests make variants of their own.
    func forgetResolved() { state.withLock { $0.resolved = [:] } }

    /// The number of entities that borrow their bytes.
    var borrowerCount: Int { state.withLock { $0.bodies.values.reduce(0) { $0 + $1.borrowers.count } } }

    private func isBorrowed(_ lease: BodyLease) -> Bool {
        state.withLock { $0.bodies[lease.content]?.borrowers[lease.key] == lease.number }
    }
}
