import HTTPCache
import ImagePipeline
import LinuxSystem
import OriginTransfer

@testable import ProxyServer

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

/// A pipeline and a raw proxy whose origins have nothing, and without workers.
struct EmptyStages {
    let pipeline: Pipeline
    let raw: RawProxy<OriginRequest>

    init(disk: (any DiskStoring)? = nil, lane: WorkLane, loader: EmptyLoader, time: any TimeSource) {
        pipeline = Pipeline(
            PipelineParts(
                memory: MemoryCache(MemoryCache.Configuration(capacity: 1 << 20)),
                disk: disk,
                readLane: lane,
                loader: loader,
                transformer: NoWorkers(),
                time: time,
                limits: PipelineParts.Limits(),
                presentation: EntityPresentation.fields
            )
        )
        raw = RawProxy<OriginRequest>(
            cache: RawCache(capacity: 1 << 20, disk: nil),
            loader: loader,
            failures: pipeline.failures,
            lane: lane,
            time: time,
            waiters: 10
        )
    }
}
