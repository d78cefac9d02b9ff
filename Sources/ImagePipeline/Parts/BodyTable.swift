import HTTPCache
import LinuxSystem

/// The bodies and the resolved variants in the memory cache: equal bytes are held, and counted, once.
///
/// The first entity with a body pays for its bytes. Entities of other keys with equal bytes borrow them, and cost their fields only;
/// they leave memory together with the entity that pays. A request's key finds its entity directly: a hit does not touch this table.
///
/// Large bodies are held in memory files (memfd_create(2)): the kernel sends from these without a copy, as from files on disk, but never
/// waits for a disk. Any thread.
final class BodyTable: Sendable {
    /// The entities of one body.
    private struct Body: Sendable {
        var content: Entity.Body
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
        /// The bodies that are held in memory files.
        var files = 0
    }

    /// Shorter bodies are not shared: the table would take as much memory.
    static let shortest = 1024
    /// The most borrowers of a body; further entities pay for their own bytes.
    static let mostBorrowers = 64
    /// Shorter bodies are held as bytes: sending a copy of them is cheaper than a call for the file.
    static let shortestFile = 64 << 10

    /// The maximum number of bodies in memory files; further ones are held as bytes.
    private let mostFiles: Int
    private let state = Lock(State())

    /// Creates an empty table.
    ///
    /// - Parameter mostFiles: the maximum number of memory files; by default an eighth of the process's descriptors, at most 4,096.
    init(mostFiles: Int? = nil) {
        self.mostFiles = mostFiles ?? min(4_096, DescriptorLimit.current / 8)
    }

    /// Takes a lease of a body for an entity that is about to be cached under a key; `nil` for a body that is not shared.
    func lease(_ bytes: [UInt8], digest: CacheKey, for key: CacheKey, in scope: BodyScope) -> BodyLease? {
        guard bytes.count >= Self.shortest else { return nil }
        let content = BodyLease.Content(scope: scope, digest: digest, length: bytes.count)
        let mayBeFile =
            bytes.count >= Self.shortestFile
            && state.withLock { $0.bodies[content] == nil && $0.files < mostFiles }
        let file =
            mayBeFile
            ? unsafe bytes.withUnsafeBytes { unsafe SharedDescriptor.sealed($0, name: "edgeprint-result") } : nil
        return state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            guard var body = state.bodies[content] else {
                if file != nil { state.files += 1 }
                let held = file.map { Entity.Body.file($0, length: bytes.count) } ?? .memory(bytes)
                state.bodies[content] = Body(content: held, payer: number, payerKey: key)
                return BodyLease(content: content, key: key, number: number, body: held)
            }
            if body.payerKey == key {
                body.payer = number
            } else {
                guard body.borrowers.count < Self.mostBorrowers || body.borrowers[key] != nil else { return nil }
                body.borrowers[key] = number
            }
            state.bodies[content] = body
            return BodyLease(content: content, key: key, number: number, body: body.content)
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
                if case .file = body.content { state.files -= 1 }
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

    /// The number of bodies in memory files.
    var fileCount: Int { state.withLock { $0.files } }

    /// The number of entities that borrow their bytes.
    var borrowerCount: Int { state.withLock { $0.bodies.values.reduce(0) { $0 + $1.borrowers.count } } }

    private func isBorrowed(_ lease: BodyLease) -> Bool {
        state.withLock { $0.bodies[lease.content]?.borrowers[lease.key] == lease.number }
    }
}
