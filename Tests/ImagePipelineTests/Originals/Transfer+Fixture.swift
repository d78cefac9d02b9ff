import CLinux
import Glibc
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport

extension OriginLoading {
    /// Loads and suspends until the completion is called; a second call of it would trap.
    func result(_ fetch: OriginFetch) async -> Result<OriginResponse, PipelineError> {
        await withCheckedContinuation { continuation in
            _ = load(fetch) { continuation.resume(returning: $0) }
        }
    }

    /// The error of a load, `nil` when it succeeded.
    func failure(_ fetch: OriginFetch) async -> PipelineError? {
        switch await result(fetch) {
        case .failure(let error): error
        case .success(.refused(let status, _)): .originStatus(status)
        case .success: nil
        }
    }

    /// Fields and bytes of a load that must succeed with a body.
    func fetched(_ fetch: OriginFetch) async throws -> (fields: OriginFields, body: OriginBody, bytes: [UInt8]) {
        guard case .fetched(let fields, let body) = try await result(fetch).get() else { throw NoBody() }
        return (fields, body, try body.bytes())
    }
}

struct NoBody: Error {}

/// The engine as the pipeline uses it, so that its tests cover the way in and back out.
extension TransferEngine: OriginLoading {
    func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        OriginLoader(files: self, transfers: self).load(fetch, completion: completion)
    }
}

extension FileLoader: OriginLoading {
    func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        OriginLoader(files: self, transfers: self).load(fetch, completion: completion)
    }
}

extension OriginBody {
    /// Reads the whole file from its start.
    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = try checked("pread") { unsafe pread(file.number, &bytes, bytes.count, 0) }
        return Array(bytes.prefix(count))
    }
}

extension SourceRule {
    /// A source that may ask loopback, with times short enough to wait for.
    static func local(
        name: String = "test",
        allowPrivate: Bool = true,
        headers: [HeaderField] = [],
        connections: Int = 6,
        limits: Limits = Limits(),
        timeouts: Timeouts = Timeouts()
    ) -> SourceRule {
        SourceRule(
            name: name,
            location: .remote,
            allowPrivate: allowPrivate,
            headers: headers,
            connections: connections,
            limits: limits,
            timeouts: timeouts
        )
    }
}

extension OriginFetch {
    /// A URL that a test has written, asked by a rule.
    init(_ text: String, _ source: SourceRule) {
        guard let url = try? OriginURL(text) else { preconditionFailure("no URL: \(text)") }
        self.init(target: .url(url), source: source)
    }

    /// A path of a scripted origin.
    static func local(_ origin: ScriptedOrigin, _ path: String = "/", _ source: SourceRule = .local()) -> OriginFetch {
        OriginFetch(origin.url + path, source)
    }
}

/// Holds one result for a test that does other things meanwhile.
actor Outcome {
    private var value: Result<OriginResponse, PipelineError>?
    private var waiting: CheckedContinuation<Result<OriginResponse, PipelineError>, Never>?
    private(set) var count = 0

    nonisolated func set(_ value: Result<OriginResponse, PipelineError>) {
        Task { await store(value) }
    }

    private func store(_ value: Result<OriginResponse, PipelineError>) {
        count += 1
        self.value = value
        waiting?.resume(returning: value)
        waiting = nil
    }

    var result: Result<OriginResponse, PipelineError> {
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
