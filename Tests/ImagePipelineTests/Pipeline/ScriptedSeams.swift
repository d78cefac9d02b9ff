import HTTPCache
import CLinux
import Glibc
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer
import TestSupport

/// An origin whose responses the test sends.
final class ScriptedLoader: OriginLoading {
    final class Load: LoadHandle {
        let fetch: OriginFetch
        /// The completion, called once as by a real loader.
        private let completion: Lock<(@Sendable (Result<FetchedResponse, PipelineError>) -> Void)?>
        private let state = Signal((received: 0, cancelled: false))
        private let length = Lock<Int?>(nil)
        private let raises = Signal<[RequestPriority]>([])

        private let arrival: Lock<(@Sendable (FetchedResponse) -> Void)?>

        init(
            _ fetch: OriginFetch,
            _ arrival: (@Sendable (FetchedResponse) -> Void)?,
            _ completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
        ) {
            self.fetch = fetch
            self.arrival = Lock(arrival)
            self.completion = Lock(completion)
        }

        var isCancelled: Bool { state.value.cancelled }
        var received: Int { state.value.received }
        var expected: Int? { length.withLock { $0 } }
        /// The priorities above its own that the load was raised to.
        var raised: [RequestPriority] { raises.value.filter { $0 > fetch.priority } }

        /// How often it was told that other clients wait.
        var changes: Int { raises.value.count }

        func expect(_ count: Int) { length.withLock { $0 = count } }
        func waitersChanged() { raises.update { [turns] in $0.append(turns.urgency) } }
        /// The clients in whose turns it may start.
        var turns: [Claim] { fetch.claims.turns(else: Claim(fetch.account, fetch.priority)) }

        func receive(_ count: Int) { state.update { $0.received += count } }
        func waitForCancel() throws { try state.wait { $0.cancelled } }

        func cancel() {
            state.update { $0.cancelled = true }
            complete(.failure(.cancelled))
        }

        func answer(
            _ body: [UInt8],
            at time: Int64,
            cacheControl: String? = nil,
            expires: String? = nil,
            entityTag: String? = nil,
            tags: String? = nil
        ) {
            let fields = [
                ("Cache-Control", cacheControl), ("Expires", expires), ("ETag", entityTag), ("Cache-Tag", tags),
            ]
            respond(200, fields, .file(OriginBody(copying: body)), at: time)
        }

        func answerNotModified(at time: Int64, cacheControl: String? = nil) {
            respond(304, [("Cache-Control", cacheControl)], at: time)
        }

        func refuse(_ status: Int, at time: Int64, cacheControl: String? = nil, retryAfter: String? = nil) {
            respond(status, [("Cache-Control", cacheControl), ("Retry-After", retryAfter)], at: time)
        }

        func respond(_ response: FetchedResponse) { complete(.success(response)) }

        /// Announces a response whose content is still arriving.
        func announce(_ response: FetchedResponse) { arrival.withLock { $0.take() }?(response) }

        private func respond(
            _ status: Int,
            _ fields: [(name: String, value: String?)],
            _ content: FetchedResponse.Content = .none,
            at time: Int64
        ) {
            var lines = FieldLines()
            for field in fields { if let value = field.value { lines.append(field.name, value) } }
            respond(
                FetchedResponse(status: status, fields: lines, content: content, requestTime: time, responseTime: time)
            )
        }

        func fail(_ error: PipelineError) { complete(.failure(error)) }

        private func complete(_ result: Result<FetchedResponse, PipelineError>) {
            arrival.withLock { $0 = nil }
            completion.withLock { $0.take() }?(result)
        }
    }

    private let loads = Signal<[Load]>([])

    var all: [Load] { loads.value }

    /// Waits for `count` loads.
    func wait(for count: Int) throws -> [Load] { try loads.wait { $0.count >= count } }

    func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        let load = Load(fetch, arrival, completion)
        loads.update { $0.append(load) }
        return load
    }
}

/// Owners that reply before `ask` returns.
struct ScriptedOwners: OwnerAsking {
    let keeps: Int64 = 10
    let reply: @Sendable (VariantRequest) -> OwnerReply

    func ask(
        _ request: VariantRequest,
        _ question: OwnerQuestion,
        _ context: LoadContext,
        completion: @escaping @Sendable (OwnerReply) -> Void
    ) -> (any LoadHandle)? {
        completion(reply(request))
        return EndedLoad()
    }
}

/// Workers whose results the test sends.
final class ScriptedTransformer: Transforming {
    final class Job: TransformHandle {
        let job: TransformJob
        private let completion: @Sendable (Result<TransformResult, PipelineError>) -> Void
        private let cancelled = Lock(false)
        private let raises = Lock<[RequestPriority]>([])

        init(_ job: TransformJob, _ completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void) {
            self.job = job
            self.completion = completion
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }

        private let waiting = Lock(false)
        /// Whether it waits in the queue; it does not unless a test says so.
        var isWaiting: Bool {
            get { waiting.withLock { $0 } }
            set { waiting.withLock { $0 = newValue } }
        }

        /// The priorities that the job was raised to.
        var raised: [RequestPriority] { raises.withLock { $0 } }

        func waitersChanged() { raises.withLock { [turns] in $0.append(turns.urgency) } }
        /// The clients in whose turns it may start.
        var turns: [Claim] { job.claims.turns(else: Claim(job.account, job.priority)) }

        func cancel() {
            cancelled.withLock { $0 = true }
            completion(.failure(.cancelled))
        }

        func make(_ bytes: [UInt8]) { make([bytes], as: .png) }

        /// Sends a result for each output.
        func make(_ results: [[UInt8]], as format: ResultFormat) {
            let pictures = results.map { bytes in
                let description = WorkerReply.Output(
                    format: format,
                    width: 1,
                    height: 1,
                    frames: 1,
                    hasAlpha: false,
                    length: bytes.count
                )
                return TransformResult.Picture(description: description, bytes: bytes)
            }
            completion(.success(TransformResult(pictures: pictures, timing: WorkerReply.Timing(), queued: 0)))
        }

        /// Creates one picture per output.
        func makeAll(_ all: [[UInt8]]) {
            let pictures = all.map { bytes in
                TransformResult.Picture(
                    description: WorkerReply.Output(
                        format: .jpeg,
                        width: 1,
                        height: 1,
                        frames: 1,
                        hasAlpha: false,
                        length: bytes.count
                    ),
                    bytes: bytes
                )
            }
            completion(.success(TransformResult(pictures: pictures, timing: WorkerReply.Timing(), queued: 0)))
        }

        /// Sends results with the given descriptions and lengths.
        func make(_ outputs: [WorkerReply.Output]) {
            let pictures = outputs.map { output in
                TransformResult.Picture(description: output, bytes: [UInt8](repeating: 1, count: output.length))
            }
            completion(.success(TransformResult(pictures: pictures, timing: WorkerReply.Timing(), queued: 0)))
        }

        func fail(_ error: PipelineError) { completion(.failure(error)) }
    }

    /// Whether to report all processors as busy.
    let loaded = Lock(false)
    var isLoaded: Bool { loaded.withLock { $0 } }

    /// The accounts whose jobs are refused.
    let refused = Lock<Set<String?>>([])
    func refusal(of account: String?) -> PipelineError? {
        refused.withLock { $0.contains(account) } ? .overloaded("refused") : nil
    }

    private let jobs = Signal<[Job]>([])

    var all: [Job] { jobs.value }

    /// Waits for `count` jobs.
    func wait(for count: Int) throws -> [Job] { try jobs.wait { $0.count >= count } }

    func transform(
        _ job: TransformJob,
        completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void
    ) -> any TransformHandle {
        let job = Job(job, completion)
        jobs.update { $0.append(job) }
        return job
    }
}

extension OriginRequest {
    /// Creates a request for an original at a literal URL.
    convenience init(source: SourceRule, at text: String) {
        guard let url = try? OriginURL(text) else { preconditionFailure("no URL: \(text)") }
        self.init(source: source, url: url)
    }
}

extension OriginBody {
    /// Creates a body in a memory file, as a transfer delivers it.
    init(copying bytes: [UInt8]) {
        let descriptor = unsafe edge_memfd_create("test")
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        edge_memfd_seal(descriptor)
        self.init(file: SharedDescriptor(owning: descriptor), length: bytes.count, digest: CacheKey(hashing: bytes))
    }
}
