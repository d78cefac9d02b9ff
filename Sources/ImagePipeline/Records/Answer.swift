package import HTTPCache
package import HTTPSemantics

/// The pipeline's response to a request: an entity, its cache status and timings.
package struct Answer: Sendable {
    package var entity: Entity
    /// How the cache handled the request (SDWebImage: `SDImageCacheType`).
    package var status: CacheStatus
    package var timings: StageTimings
    /// Whether it is stored on disk; `nil` if the request did not wait for that.
    package var isStored: Bool?
    /// What the entity is under overload; `nil` for what was requested.
    package var rung: BrownoutRung?

    init(entity: Entity, status: CacheStatus, timings: StageTimings = StageTimings(), rung: BrownoutRung? = nil) {
        self.rung = rung
        self.entity = entity
        self.status = status
        self.timings = timings
    }

    /// The response for a request that joined the flight of another.
    var collapsed: Answer {
        var answer = self
        answer.status = status.collapsed
        return answer
    }
}

/// The stages' durations in microseconds, for metrics and `Server-Timing`; 0 if a stage did not run.
package struct StageTimings: Hashable, Sendable {
    package var fetch: UInt32 = 0
    /// The phases of the transfer.
    package var phases = FetchPhases()
    package var queue: UInt32 = 0
    package var decode: UInt32 = 0
    package var transform: UInt32 = 0
    package var encode: UInt32 = 0
    /// Handing the result to the caches, without the asynchronous disk write.
    package var store: UInt32 = 0

    /// Creates timings of nothing.
    init() {}
}
