import HTTPCache
import LinuxSystem

/// The background work for variants.
typealias VariantBackground = BackgroundWork<Answer, PipelineError>

extension BackgroundKind {
    /// Maximum number of placeholder jobs, which would otherwise fill the transform queue.
    static let maximumPlaceholders = 32
    /// Computes an original's placeholder.
    static let placeholder = BackgroundKind(prefix: "placeholder/1", limit: maximumPlaceholders)
    /// Makes the AVIF of a WebP stand-in, one at a time; `setWaitingLimit` sets how many wait.
    static let deferred = BackgroundKind(prefix: "deferred/1", limit: 1, waitingLimit: 0)
    /// Encodes popular variants again with more effort, one at a time; as many wait as deferred jobs may.
    static let recompression = BackgroundKind(prefix: "recompression/1", limit: 1, waitingLimit: 0)
    /// Makes lossless copies of originals, one at a time; as many wait as deferred jobs may.
    static let losslessCopy = BackgroundKind(prefix: "lossless/1", limit: 1, waitingLimit: 0)
    /// Transcodes JPEG originals, one at a time; as many wait as deferred jobs may.
    static let transcoding = BackgroundKind(prefix: "jxl/1", limit: 1, waitingLimit: 0)
}

extension BackgroundWork where Value == Answer, Failure == PipelineError {
    /// Creates the work without jobs.
    ///
    /// - Parameter deferredLimit: the maximum number of waiting deferred jobs.
    convenience init(pool: TaskPool<Answer, PipelineError>, deferredLimit: Int, time: any TimeSource) {
        self.init(pool: pool, kinds: [.refresh, .placeholder] + Self.deferrable, time: time)
        setDeferredLimit(deferredLimit)
    }

    /// Sets the maximum number of jobs that wait, of each kind whose jobs have no waiting client; applies to new ones.
    func setDeferredLimit(_ limit: Int) {
        for kind in Self.deferrable { setWaitingLimit(limit, of: kind) }
    }

    private static var deferrable: [Kind] { [.deferred, .recompression, .losslessCopy, .transcoding] }

    /// Starts or queues a job for a variant, unless that is waiting, running or paused.
    func offer(
        _ kind: Kind,
        for request: VariantRequest,
        dropped: @escaping @Sendable () -> Void = {},
        work: @escaping Work
    ) {
        offer(kind, request.key, about: PurgeSubject(request), dropped: dropped, work: work)
    }
}
