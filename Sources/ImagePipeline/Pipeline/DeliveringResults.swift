import HTTPCache
import LinuxSystem

/// The results of shared transforms while they are delivered to the requests that store them; any thread.
///
/// A flight leaves its pool before its waiters are called. Without these, a request that comes in between would find neither the
/// flight nor its stored result.
final class DeliveringResults: Sendable {
    private struct Entry: Sendable {
        var result: TransformResult
        var flight: Flight<TransformResult, PipelineError>
    }

    private let entries = Lock<[CacheKey: Entry]>([:])

    /// Ends a flight, and keeps its result until all waiters have been called.
    ///
    /// - Parameter isShared: whether requests that did not wait may use the result.
    func deliver(
        _ result: Result<TransformResult, PipelineError>,
        of flight: Flight<TransformResult, PipelineError>,
        isShared: Bool
    ) {
        let key = flight.key
        if isShared, case .success(let made) = result {
            entries.withLock { $0[key] = Entry(result: made, flight: flight) }
        }
        flight.finish(result)
        entries.withLock { entries in
            if entries[key]?.flight === flight { entries[key] = nil }
        }
    }

    /// Returns a result that is being delivered, unless it has been purged.
    func result(_ key: CacheKey) -> TransformResult? {
        guard let entry = entries.withLock({ $0[key] }), entry.flight.mayPublish else { return nil }
        return entry.result
    }
}
