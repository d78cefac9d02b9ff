import HTTPCache
import ImagePipeline
import LinuxSystem

/// Answers with placeholders while images take long to make, and has the images made in the background.
///
/// The number of images in the background is bounded; beyond it, clients wait. An image that was made in the background a moment
/// ago and misses again cannot be kept, so that its client waits, too. Any thread.
final class SlowMisses: Sendable {
    private struct State: Sendable {
        var underWay: Set<CacheKey> = []
        /// Monotonic nanoseconds at which background work for a key ended.
        var ended: [CacheKey: Int64] = [:]
    }

    /// Nanoseconds for which a key that was made in the background is waited for.
    private static let memory: Int64 = 60_000_000_000
    /// The maximum number of keys remembered so.
    private static let mostEnded = 1_024
    /// Nanoseconds between two checks whether the caches have been searched.
    private static let recheck: Int64 = 5_000_000

    private let pipeline: Pipeline
    private let time: any TimeSource
    private let limit: @Sendable () -> Int
    private let delays = DelayLine()
    private let state = Lock(State())

    /// - Parameter limit: returns the maximum number of images made in the background.
    init(pipeline: Pipeline, time: any TimeSource, limit: @escaping @Sendable () -> Int) {
        self.pipeline = pipeline
        self.time = time
        self.limit = limit
    }

    /// The number of images made in the background.
    var underWay: Int { state.withLock { $0.underWay.count } }

    /// Whether a request may be answered with a placeholder: not if it is to be saved as a file.
    static func apply(to variant: VariantRequest, of request: ResolvedRequest) -> Bool {
        variant.origin.source.slowMiss.policy == .placeholder && variant.plan.map(PlaceholderPicture.isPicture) == true
            && !variant.origin.keepsNothing && !request.isDownload
    }

    /// Answers a request with a placeholder if its image is not there in time.
    ///
    /// - Parameter client: the request. Of those for one image, the first keeps its place in the work, which continues without a
    ///   client until `ended` is called; the others leave.
    func watch(_ variant: VariantRequest, _ client: Client) {
        watch(variant, after: Int64(variant.origin.source.slowMiss.after) * 1_000_000, client)
    }

    /// A request that waits for an image.
    struct Client: Sendable {
        /// The request's place in the pipeline.
        let waiting: WaitingRequest
        /// Whether a response has been sent.
        let isAnswered: @Sendable () -> Bool
        /// Sends the placeholder, made of what is known of the original.
        let answer: @Sendable (KnownOriginal?) -> Void
    }

    /// Reports that a variant has been made, or has failed.
    func ended(_ variant: VariantRequest) {
        let now = time.monotonic
        state.withLock { state in
            guard state.underWay.remove(variant.key) != nil else { return }
            if state.ended.count >= Self.mostEnded { state.ended = state.ended.filter { now - $0.value < Self.memory } }
            if state.ended.count >= Self.mostEnded { state.ended = [:] }
            state.ended[variant.key] = now
        }
    }

    private func watch(_ variant: VariantRequest, after delay: Int64, _ client: Client) {
        guard delay > 0 else { return decide(variant, client) }
        // Without a thread, the client waits.
        _ = delays.run(after: delay) { [self] in decide(variant, client) }
    }

    private func decide(_ variant: VariantRequest, _ client: Client) {
        guard !client.isAnswered(), !client.waiting.hasLeft else { return }
        guard !pipeline.isLookingUp(variant) else { return watch(variant, after: Self.recheck, client) }
        switch begin(variant) {
        case .waits: return
        case .joins:
            pipeline.known(variant.origin) { known in
                client.answer(known)
                client.waiting.leave()
            }
        case .starts:
            guard client.waiting.stay() else {
                _ = state.withLock { $0.underWay.remove(variant.key) }
                return
            }
            // The image may have been made just now.
            if client.isAnswered() { ended(variant) }
            pipeline.known(variant.origin, completion: client.answer)
        }
    }

    private enum Admission {
        /// The client keeps its place in the work, without waiting.
        case starts
        /// Another client does.
        case joins
        case waits
    }

    private func begin(_ variant: VariantRequest) -> Admission {
        let key = variant.key
        let now = time.monotonic
        let limit = limit()
        return state.withLock { state in
            if state.underWay.contains(key) { return .joins }
            if let ended = state.ended[key], now - ended < Self.memory { return .waits }
            guard state.underWay.count < limit else { return .waits }
            state.underWay.insert(key)
            return .starts
        }
    }
}
