/// What a flight is doing.
package enum FlightStage: UInt8, Hashable, Sendable {
    case starting, disk, original, transfer, transform
}

/// The state of a piece of work in progress (SDWebImage: `sd_imageProgress`, `sd_imageURL`, `loadState`).
package struct FlightStatus: Sendable {
    /// What the work is about.
    package var subject: PurgeSubject
    package var stage: FlightStage
    /// Requests that wait for it; background work counts as one.
    package var waiters: Int
    /// Monotonic nanoseconds of its start.
    package var started: Int64
    /// Bytes of the origin's response received so far; `nil` before the transfer.
    package var received: Int?
    /// The announced bytes; `nil` if unknown.
    package var expected: Int?
}

extension TaskPool {
    /// What the flight that requests for a key would join is doing; `nil` if there is none.
    package func stage(of key: CacheKey) -> FlightStage? { flight(for: key)?.currentStage }

    /// The flights in progress that purges can name, oldest first, up to a number, and the number of all.
    package func statuses(limit: Int) -> (oldest: [FlightStatus], total: Int) {
        let all = flightsInProgress
        let statuses = all.compactMap(\.status).sorted { $0.started < $1.started }
        return (Array(statuses.prefix(limit)), all.count)
    }
}
