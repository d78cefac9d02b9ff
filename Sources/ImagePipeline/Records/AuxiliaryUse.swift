import HTTPCache

/// The use of an auxiliary image in an entity, with the image's shared freshness state.
struct AuxiliaryUse: Sendable {
    let state: OriginState
    /// The version of `state` for which the entity was made.
    let version: UInt64
    /// The digest of the image's body.
    let digest: CacheKey

    init(_ snapshot: OriginSnapshot) {
        state = snapshot.state
        version = snapshot.version
        digest = snapshot.record.digest
    }
}

/// Freshness of entities: that of the least fresh of their originals.
extension Entity {
    /// Whether it may be served without validation (RFC 9111 §4.2).
    @inline(__always)
    package func isFresh(at now: Int64) -> Bool {
        origin.isFresh(at: now) && (auxiliaries.isEmpty || auxiliaries.allSatisfy { $0.state.isFresh(at: now) })
    }

    /// Seconds until it is stale; negative once it is.
    func freshSeconds(at now: Int64) -> Int64 {
        auxiliaries.reduce(origin.freshSeconds(at: now)) { min($0, $1.state.freshSeconds(at: now)) }
    }

    /// The value of `Age` at `now`, in seconds (RFC 9111 §4.2.3).
    @inline(__always)
    package func age(at now: Int64) -> Int64 {
        let own = origin.age(at: now)
        return auxiliaries.isEmpty ? own : auxiliaries.reduce(own) { max($0, $1.state.age(at: now)) }
    }

    /// Whether the auxiliary images are unchanged since the entity was made.
    var hasCurrentAuxiliaries: Bool { auxiliaries.allSatisfy { $0.state.version == $0.version } }

    /// Whether it may be served stale while it is revalidated (RFC 5861 §3).
    func mayBeUsedWhileRevalidating(at now: Int64, by request: VariantRequest) -> Bool {
        states(request).allSatisfy { $0.isUsableWhileRevalidating(at: now, default: $1.staleWhileRevalidate) }
    }

    /// Whether the request's directives permit serving it without validation (RFC 9111 §5.2.1).
    func isAccepted(at now: Int64, by request: VariantRequest, _ demand: CacheDemand) -> Bool {
        states(request).allSatisfy { state, source in
            let reuse = Reuse(of: state.terms(for: source, at: now), demand)
            return reuse.acceptsFresh || reuse.acceptsStale
        }
    }

    /// Whether it may be served stale if an origin fails (RFC 5861 §4).
    func mayBeUsedIfError(at now: Int64, by request: VariantRequest) -> Bool {
        states(request).allSatisfy { $0.isUsableIfError(at: now, default: $1.staleIfError) }
    }

    /// Whether it may be served, however stale, while an origin is deliberately not asked (RFC 9111 §4.2.4).
    func mayBeUsedIfDisconnected(by request: VariantRequest) -> Bool {
        states(request).allSatisfy { state, _ in !state.forbidsStale && !state.needsValidation }
    }

    /// The states of all originals with their sources, the main original first.
    private func states(_ request: VariantRequest) -> [(OriginState, SourceRule)] {
        [(origin, request.origin.source)]
            + zip(auxiliaries, request.auxiliaries).map { ($0.state, $1.origin.source) }
    }
}
