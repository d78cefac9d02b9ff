import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer

/// Records fetches; finds nothing.
final class EmptyLoader: OriginLoading {
    private let all = Lock<[OriginFetch]>([])
    var fetches: [OriginFetch] { all.withLock { $0 } }

    func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        all.withLock { $0.append(fetch) }
        completion(.failure(.originNotFound))
        return EndedLoad()
    }
}

/// Fails all work.
struct NoWorkers: Transforming {
    private struct Ended: TransformHandle {
        func cancel() {}
    }

    func transform(
        _ job: TransformJob,
        completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void
    ) -> any TransformHandle {
        completion(.failure(.noWorker))
        return Ended()
    }
}
