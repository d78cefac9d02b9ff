import HTTPCache
import HTTPSemantics
import ImagePipeline
import LinuxSystem

/// Makes the images for which something else was served under overload, once the load is lower.
///
/// The number of images that wait is bounded, and so are the tries of each: an image that is not made within about a minute is left to
/// the next request for it. Any thread.
final class BrownoutFollowUp: Sendable {
    private struct State: Sendable {
        /// Tries by the variant's key.
        var tries: [CacheKey: Int] = [:]
        var running = 0
    }

    /// The maximum number of images that are made at the same time.
    private static let mostRunning = 2

    private let pipeline: Pipeline
    private let time: any TimeSource
    private let limit: @Sendable () -> Int
    private let delay: Int64
    private let mostTries: Int
    private let delays: DelayLine
    private let state = Lock(State())

    /// - Parameters:
    ///   - delay: nanoseconds before each try.
    ///   - tries: the maximum number of tries for an image.
    ///   - limit: returns the maximum number of images that wait.
    init(
        pipeline: Pipeline,
        time: any TimeSource,
        delays: DelayLine,
        delay: Int64 = 1_000_000_000,
        tries: Int = 60,
        limit: @escaping @Sendable () -> Int
    ) {
        self.pipeline = pipeline
        self.time = time
        self.delays = delays
        self.delay = delay
        mostTries = tries
        self.limit = limit
    }

    /// The number of images that wait or are being made.
    var count: Int { state.withLock { $0.tries.count } }

    /// Makes a variant later, unless it waits already, too many do, or it could not be kept.
    func make(_ variant: VariantRequest) {
        guard !variant.origin.keepsNothing, variant.tiers != .none else { return }
        let limit = limit()
        let isNew = state.withLock { state -> Bool in
            guard state.tries[variant.key] == nil, state.tries.count < limit else { return false }
            state.tries[variant.key] = 0
            return true
        }
        if isNew { tryLater(variant) }
    }

    private func tryLater(_ variant: VariantRequest) {
        let isOver = state.withLock { state -> Bool in
            state.tries[variant.key, default: 0] += 1
            return state.tries[variant.key, default: 0] > mostTries
        }
        if isOver || !delays.run(after: delay, { [self] in start(variant) }) { forget(variant) }
    }

    private func start(_ variant: VariantRequest) {
        let mayRun =
            !pipeline.isLoaded
            && state.withLock { state -> Bool in
                guard state.running < Self.mostRunning else { return false }
                state.running += 1
                return true
            }
        guard mayRun else { return tryLater(variant) }
        var context = LoadContext()
        context.caller.unkeyed = variant.origin.unkeyed
        // With a single worker, background work would never start.
        context.priority = pipeline.hasBackground ? .background : .low
        context.deadline = SharedDeadline(time.monotonic + Int64(mostTries) * delay)
        pipeline.load(variant, context) { [self] result in
            state.withLock { $0.running -= 1 }
            switch result {
            // A stale variant in its place.
            case .success(let answer) where answer.rung != nil: tryLater(variant)
            case .failure(let error) where error.isOverload: tryLater(variant)
            default: forget(variant)
            }
        }
    }

    private func forget(_ variant: VariantRequest) { _ = state.withLock { $0.tries.removeValue(forKey: variant.key) } }
}
