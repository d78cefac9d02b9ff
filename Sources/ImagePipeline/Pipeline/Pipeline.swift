/// Makes pictures from requests: caches, downloads, transforms (SDWebImageManager).
///
/// ```
/// 1 memory variant ─ fresh hit ─────────────────────────────▶ answer, inside the event loop
/// 2 disk variant ─── fresh hit ─────────────────────────────▶ answer, promoted to memory
/// 3 variant task ─── equal variants share it
/// 4   stored original ─ fresh hit ──┐
/// 5   original task ─ different variants share it
/// 6     transfer ─ fetch or revalidate
/// 7   transform ─ worker process ◀──┘ ──────────────────────▶ answer, kept in memory, then on disk
/// ```
///
/// No Swift task stands on this way: stages are state machines whose completions run on the thread that completed them.
package final class Pipeline: Sendable {
    let parts: PipelineParts
    private let memoryVariants: MemoryVariantStage
    let originals: TaskPool<OriginOutcome>
    let variants: TaskPool<Answer>

    /// Builds the stages around the parts.
    package init(_ parts: PipelineParts) {
        self.parts = parts
        memoryVariants = MemoryVariantStage(memory: parts.memory)
        originals = TaskPool(maximumWaiters: parts.limits.waiters, maximumFlights: parts.limits.flights)
        variants = TaskPool(maximumWaiters: parts.limits.waiters, maximumFlights: parts.limits.flights)
    }

    /// Stage 1: the entity in memory that may be served without asking anybody; on an event loop.
    ///
    /// - Parameter now: seconds of the wall clock.
    @inline(__always)
    package func cached(_ key: CacheKey, now: Int64) -> Entity? {
        memoryVariants.fresh(key, now: now)
    }

    /// Stages 2 to 7, for what stage 1 does not have; any thread, returns at once.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - priority: its place in the transform queue.
    ///   - traceparent: what the origin is told where this request is the first of those that share a download.
    ///   - completion: called exactly once on a pipeline thread, unless the subscription is cancelled first.
    /// - Returns: the request's part in the work; cancelling it detaches this request alone.
    @discardableResult
    package func load(
        _ request: VariantRequest,
        priority: TransformJob.Priority = .normal,
        traceparent: String? = nil,
        completion: @escaping @Sendable (Result<Answer, PipelineError>) -> Void
    ) -> Subscription {
        variants.join(request.key, about: FlightSubject(request.origin)) { outcome, collapsed in
            completion(
                outcome.map { answer in
                    guard collapsed else { return answer }
                    return Answer(
                        entity: answer.entity,
                        provenance: answer.provenance.collapsed,
                        timings: answer.timings
                    )
                }
            )
        } start: { flight in
            VariantTask(
                request: request,
                priority: priority,
                traceparent: traceparent,
                parts: parts,
                originals: originals,
                flight: flight
            )
            .start(stale: request.origin.source.cache.keepInMemory ? memoryVariants.stale(request.key) : nil)
        }
    }

    /// Lets another number of requests wait for one picture, from the next one on.
    package func setWaiterLimit(_ limit: Int) {
        originals.setMaximumWaiters(limit)
        variants.setMaximumWaiters(limit)
    }

    /// Variants that are being made, for metrics.
    package var variantsUnderWay: Int { variants.count }

    /// Originals that are being looked up or fetched, for metrics.
    package var originalsUnderWay: Int { originals.count }
}
