import HTTPCache

/// Another original that an entity was made with, and its freshness, which it shares with all that was made of it.
struct IngredientUse: Sendable {
    let state: OriginState
    /// The state's version that the entity belongs to.
    let version: UInt64
    /// The body that it was made with.
    let digest: CacheKey

    init(_ snapshot: OriginSnapshot) {
        state = snapshot.state
        version = snapshot.version
        digest = snapshot.record.digest
    }
}

/// An entity is as fresh as the least fresh of the originals that it was made of.
extension Entity {
    /// Whether it may be served without asking anybody (RFC 9111 §4.2).
    @inline(__always)
    package func isFresh(at now: Int64) -> Bool {
        origin.isFresh(at: now) && (ingredients.isEmpty || ingredients.allSatisfy { $0.state.isFresh(at: now) })
    }

    /// The `Age` of answers now, in seconds (RFC 9111 §4.2.3).
    @inline(__always)
    package func age(at now: Int64) -> Int64 {
        let own = origin.age(at: now)
        return ingredients.isEmpty ? own : ingredients.reduce(own) { max($0, $1.state.age(at: now)) }
    }

    /// Whether what it was made with still is that, and says what it said.
    var hasCurrentIngredients: Bool { ingredients.allSatisfy { $0.state.version == $0.version } }

    /// Whether a request may be given this although it is stale, while the origin is asked (RFC 5861 §3).
    func mayBeUsedWhileRevalidating(at now: Int64, by request: VariantRequest) -> Bool {
        states(request).allSatisfy { $0.isUsableWhileRevalidating(at: now, default: $1.staleWhileRevalidate) }
    }

    /// Whether a request may be given this as it is, by its own directives (RFC 9111 §5.2.1).
    func isAccepted(at now: Int64, by request: VariantRequest, _ demand: CacheDemand) -> Bool {
        states(request).allSatisfy { state, source in
            let reuse = Reuse(of: state.terms(for: source, at: now), demand)
            return reuse.acceptsFresh || reuse.acceptsStale
        }
    }

    /// Whether a request may be given this although it is stale, where an origin cannot be asked (RFC 5861 §4).
    func mayBeUsedIfError(at now: Int64, by request: VariantRequest) -> Bool {
        states(request).allSatisfy { $0.isUsableIfError(at: now, default: $1.staleIfError) }
    }

    /// The originals with the sources that they are asked under, the picture's own first.
    private func states(_ request: VariantRequest) -> [(OriginState, SourceRule)] {
        [(origin, request.origin.source)]
            + zip(ingredients, request.ingredients).map { ($0.state, $1.origin.source) }
    }
}
