import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import Logging

/// Answers requests of raw sources: any method, any content, as a plain HTTP cache does.
final class RawRoute: Sendable {
    /// One event loop's resolver; its lock is never contended, as one thread calls.
    private final class Known: Sendable {
        struct State: Sendable {
            var generation: UInt64 = 0
            /// `nil` where no source is raw.
            var resolver: RequestResolver?
        }

        let state = Lock(State())
    }

    private let cell: ResolverCell
    private let proxy: RawProxy
    private let live: LiveConfiguration
    private let via: ViaName
    private let logger: Logger
    private let known: [Known]

    /// - Parameter loops: event loops that will call, each with an index below this.
    init(
        resolver: ResolverCell,
        proxy: RawProxy,
        live: LiveConfiguration,
        via: ViaName,
        logger: Logger,
        loops: Int
    ) {
        self.via = via
        cell = resolver
        self.proxy = proxy
        self.live = live
        self.logger = logger
        known = (0..<loops).map { _ in Known() }
    }

    /// Answers a request; `nil` where it is for no raw source.
    ///
    /// On the loop's thread.
    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply? {
        guard let resolver = resolver(of: context.loop), head.targetForm != .authority else { return nil }
        // Whoever may purge means this cache, not the origin's.
        if head.method == .purge, live.current.takesPurges { return nil }
        let origin: OriginRequest
        do {
            guard let found = try resolver.rawOrigin(of: bytes.copy(head.pathAndQuery)) else { return nil }
            origin = found
        } catch {
            return .now(Response(error, id: context.trace.id).readable(by: live.current.answers.cors))
        }
        let request = RawRequest(
            method: head.method.name ?? Self.name(of: head.method, bytes),
            origin: origin,
            fields: Self.fields(head, bytes),
            body: context.body
        )
        if let answer = proxy.cached(request) { return .now(Response(answer, via: via)) }
        return load(request, context)
    }

    private func resolver(of loop: Int) -> RequestResolver? {
        known[loop].state.withLock { known in
            if known.generation != cell.generation {
                let (resolver, generation) = cell.current
                known.resolver = resolver.table.hasRaw ? resolver : nil
                known.generation = generation
            }
            return known.resolver
        }
    }

    private func load(_ request: RawRequest, _ context: RequestContext) -> Reply {
        let waiting = WaitingRequest()
        let promise = context.promise(onCancel: { waiting.leave() })
        let id = context.trace.id
        let subscription = proxy.load(request) { [logger, via, live] result in
            switch result {
            case .success(let answer): promise.complete(Response(answer, via: via))
            case .failure(let error):
                let problem = Problem(error)
                if problem.status >= 500, error != .notCached {
                    logger.warning(
                        "request failed",
                        metadata: [
                            "id": "\(id)", "status": "\(problem.status)",
                            "source": "\(request.origin.source.name)", "detail": "\(problem.detail)",
                        ]
                    )
                }
                promise.complete(Response(problem, id: id).readable(by: live.current.answers.cors))
            }
        }
        waiting.join(subscription)
        return .later
    }

    private static func name(of method: HTTPMethod, _ bytes: Span<UInt8>) -> String {
        guard case .other(let range) = method else { return "" }
        return String(decoding: bytes.copy(range), as: UTF8.self)
    }

    private static func fields(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> FieldLines {
        var lines = FieldLines()
        for field in head.fields {
            let name = String(decoding: bytes.copy(field.name), as: UTF8.self)
            if let line = FieldLine(name: name, value: bytes.copy(field.value)) { lines.append(line) }
        }
        return lines
    }
}

extension Response {
    /// An answer of a raw source, passed on under a name (RFC 9110 §7.6.3).
    init(_ answer: RawAnswer, via: ViaName) {
        self.init(status: (200...599).contains(answer.status) ? UInt16(answer.status) : 502)
        var block = FieldBlock()
        // The connection's own fields are not taken: the server writes them.
        for line in answer.fields.lines { block.append(name: Array(line.name.utf8), value: line.value) }
        block.append("Via", "1.1 \(via.text)")
        fields = block.bytes
        date = answer.fields.line("date").flatMap { FieldBlock.date($0.value) }
        dynamicFields = CacheStatusFields.field(answer.cacheStatus)
        age = answer.age
        contentLength = answer.contentLength
        if !answer.range.isEmpty { body = .bytes(answer.body, answer.range) }
        tag = RequestResult(answer.cacheStatus).tag
    }
}
