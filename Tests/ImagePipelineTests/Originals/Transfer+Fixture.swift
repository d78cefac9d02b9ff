import HTTPCache
import CLinux
import Glibc
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport

extension OriginLoading {
    /// Loads and waits for the completion; a second call of the completion would trap.
    func result(_ fetch: OriginFetch) async -> Result<FetchedResponse, PipelineError> {
        await withCheckedContinuation { continuation in
            _ = load(fetch) { continuation.resume(returning: $0) }
        }
    }

    /// Returns the error of a load; `nil` if it succeeded.
    func failure(_ fetch: OriginFetch) async -> PipelineError? {
        switch await result(fetch) {
        case .failure(let error): error
        case .success(let response) where response.status == 200: nil
        case .success(let response) where response.status == 304 && fetch.entityTag ?? fetch.lastModified != nil: nil
        case .success(let response): .originStatus(response.status)
        }
    }

    /// Returns head and bytes of a load that must succeed with a body.
    func fetched(_ fetch: OriginFetch) async throws -> (head: FetchedResponse, body: OriginBody, bytes: [UInt8]) {
        let response = try await result(fetch).get()
        guard response.status == 200, case .file(let body) = response.content else { throw NoBody() }
        return (response, body, try body.bytes())
    }

    /// Returns the head of a load that must end with a 304.
    func confirmed(_ fetch: OriginFetch) async throws -> FetchedResponse {
        let response = try await result(fetch).get()
        guard response.status == 304 else { throw NoBody() }
        return response
    }
}

struct NoBody: Error {}

extension FetchedResponse {
    var cacheControl: String? { fields["cache-control"] }
    var entityTag: String? { fields["etag"] }
    var lastModified: String? { fields["last-modified"] }
    var contentType: String? { fields["content-type"] }
    var age: String? { fields["age"] }
}

/// A loader behind that of the pipeline, so that tests cover the conversions in both directions.
extension OriginLoading where Self: TransferLoading {
    func load(
        _ fetch: OriginFetch,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        OriginLoader(LoaderRegistry([self]), examinesImages: false).load(
            fetch,
            arrival: arrival,
            completion: completion
        )
    }
}

extension TransferEngine: OriginLoading {}
extension FileLoader: OriginLoading {}

extension OriginBody {
    /// Reads the whole file from its start.
    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = try checked("pread") { unsafe pread(file.number, &bytes, bytes.count, 0) }
        return Array(bytes.prefix(count))
    }
}

extension SourceRule {
    /// A source with access to loopback and short timeouts; failed requests are repeated only if `retries` says so.
    static func local(
        name: String = "test",
        allowPrivate: Bool = true,
        headers: [HeaderField] = [],
        connections: Int = 6,
        limits: Limits = Limits(),
        timeouts: Timeouts = Timeouts(),
        retries: Int = 0
    ) -> SourceRule {
        var rule = SourceRule(
            name: name,
            location: .remote,
            allowPrivate: allowPrivate,
            headers: headers,
            connections: connections,
            limits: limits,
            timeouts: timeouts
        )
        rule.limits.retries = retries
        return rule
    }
}

extension OriginFetch {
    /// Creates a fetch of a literal URL under a rule.
    init(_ text: String, _ source: SourceRule) {
        guard let url = try? OriginURL(text) else { preconditionFailure("no URL: \(text)") }
        self.init(target: .url(url), source: source)
    }

    /// Creates a fetch of a path of a scripted origin.
    static func local(_ origin: ScriptedOrigin, _ path: String = "/", _ source: SourceRule = .local()) -> OriginFetch {
        OriginFetch(origin.url + path, source)
    }
}

/// Receives one result asynchronously.
actor Outcome {
    private var value: Result<FetchedResponse, PipelineError>?
    private var waiting: CheckedContinuation<Result<FetchedResponse, PipelineError>, Never>?
    private(set) var count = 0

    nonisolated func set(_ value: Result<FetchedResponse, PipelineError>) {
        Task { await store(value) }
    }

    private func store(_ value: Result<FetchedResponse, PipelineError>) {
        count += 1
        self.value = value
        waiting?.resume(returning: value)
        waiting = nil
    }

    var result: Result<FetchedResponse, PipelineError> {
        get async {
            if let value { return value }
            return await withCheckedContinuation { waiting = $0 }
        }
    }

    var failure: PipelineError? {
        get async {
            guard case .failure(let error) = await result else { return nil }
            return error
        }
    }
}
