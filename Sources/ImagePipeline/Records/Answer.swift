package import HTTPSemantics

/// What a request gets: the entity, where it came from, and what it took.
package struct Answer: Sendable {
    package var entity: Entity
    /// Where it came from (SDWebImage's `SDImageCacheType`).
    package var status: CacheStatus
    package var timings: StageTimings

    init(entity: Entity, status: CacheStatus, timings: StageTimings = StageTimings()) {
        self.entity = entity
        self.status = status
        self.timings = timings
    }

    /// The same for a waiter that joined the flight of another request.
    var collapsed: Answer {
        var answer = self
        answer.status = status.collapsed
        return answer
    }
}

/// Microseconds that stages took, for metrics and `Server-Timing`; 0 where a stage did not run.
package struct StageTimings: Hashable, Sendable {
    package var fetch: UInt32 = 0
    package var queue: UInt32 = 0
    package var decode: UInt32 = 0
    package var transform: UInt32 = 0
    package var encode: UInt32 = 0
    /// Handing the result to the caches; what the disk does later is not counted.
    package var store: UInt32 = 0

    /// A transfer's time, and nothing else.
    init(fetch: UInt32 = 0) {
        self.fetch = fetch
    }
}
