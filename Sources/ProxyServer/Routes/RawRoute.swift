import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem

/// Serves requests of raw sources, as a plain HTTP cache for any content.
final class RawRoute: Sendable {
    private let proxy: RawProxy<OriginRequest>
    private let live: LiveConfiguration
    private let rates: ClientRates
    private let via: ViaName
    private let failures: FailureLog
    private let time: any TimeSource
    private let tracer: Tracer?

    init(
        proxy: RawProxy<OriginRequest>,
        live: LiveConfiguration,
        rates: ClientRates,
        via: ViaName,
        failures: FailureLog,
        time: any TimeSource = SystemTime(),
        tracer: Tracer? = nil
    ) {
        self.tracer = tracer
        self.time = time
        self.rates = rates
        self.via = via
        self.proxy = proxy
        self.live = live
        self.failures = failures
    }

    /// Handles a request to a site, on the loop's thread; `nil` if it is not for a raw source.
    func handle(
        _ head: borrowing RequestHead,
        of site: Site,
        bytes: Span<UInt8>,
        context: RequestContext
    ) -> Reply? {
        let range = site.target(of: head)
        guard head.targetForm != .authority, site.isRaw(range, in: bytes) else { return nil }
        var resolver = site.resolver
        if let matchers = resolver.table.rules.matchers { resolver.traits = matchers.traits(head, bytes) }
        // Where purging is enabled, PURGE is meant for this cache, not the origin's.
        if head.method == .purge, live.current.takesPurges { return nil }
        let method = head.method.name ?? Self.name(of: head.method, bytes)
        let target: RawTarget
        do {
            guard let found = try resolver.rawTarget(of: bytes.copy(range), method: method) else { return nil }
            target = found
        } catch {
            return .now(Response(error.ofSource, id: context.trace.id).readable(by: live.current.answers.cors))
        }
        let origin = target.origin
        let tag = resolver.table.tags[origin.source.name] ?? 0
        var fields = Self.fields(head, bytes)
        if let withheld = origin.source.effects?.withheld, !withheld.isEmpty { fields.remove(withheld) }
        // RFC 9110 §7.6.2: a request with Max-Forwards 0 is answered here, like OPTIONS for an image.
        if head.method == .options, fields.maximumForwards == 0 {
            let methods = origin.source.allMethods.joined(separator: ", ")
            return .now(PublicHandler.options(live.current.answers.cors, methods: methods).tagged(tag))
        }
        if let tracing = tracer?.trace(of: context) {
            tracing.resolved(origin)
            fields.continueTrace(context.trace, in: tracing)
        }
        var request = CacheRequest(
            method: method,
            origin: origin,
            // No token of this server may reach an origin.
            fields: live.current.tokens.reduce(fields) { $0.withoutAuthorization(by: $1) },
            body: context.body
        )
        request.caller = OriginCaller(head, bytes, context)
        request.priority = origin.source.effects?.priority ?? RequestPriority(head, bytes)
        if head.has(.cacheControl), head.has(.authorization), CacheControl(ofRequest: head, bytes).retryFailed {
            let credentials = BearerCredentials(head, bytes)
            request.demand.retryFailed =
                credentials.matches(live.current.admin.token) || credentials.matches(site.token)
        }
        if let answer = proxy.cached(request) {
            return .now(Response(answer, to: target, via: via, now: context.wallSeconds).tagged(tag))
        }
        if let signingKey = target.signingKey, let refusal = rates.refusal(ofKey: signingKey, of: site, context) {
            return .now(refusal.readable(by: live.current.answers.cors).tagged(tag))
        }
        return load(request, target, of: site, tag, context)
    }

    /// Whether the content of a request is accepted before it is sent (RFC 9110 §10.1.1).
    enum Expectation {
        case wanted
        case refused(Problem)
        case notRaw
    }

    /// Whether a request's content is accepted; on the loop's thread.
    func expectation(_ head: borrowing RequestHead, of site: Site, bytes: Span<UInt8>) -> Expectation {
        let range = site.target(of: head)
        guard head.targetForm != .authority, site.isRaw(range, in: bytes),
            let rule = site.resolver.rawRule(of: bytes.copy(range))
        else { return .notRaw }
        let method = head.method.name ?? Self.name(of: head.method, bytes)
        return rule.allMethods.contains(method) ? .wanted : .refused(Problem(methodRefusedBy: rule))
    }

    private func load(
        _ request: CacheRequest<OriginRequest>,
        _ target: RawTarget,
        of site: Site,
        _ tag: UInt64,
        _ context: RequestContext
    ) -> Reply {
        let rate = live.current.clients.rate
        if let delay = rates.delay(of: context, rate: rate) {
            let refusal = Response(.tooManyRequests(after: delay), id: context.trace.id)
            let fields = RateLimitFields.bytes(rate: rate, seconds: delay)
            return .now(refusal.with(fields).readable(by: live.current.answers.cors).tagged(tag))
        }
        var request = request
        request.account = context.account(in: site)
        request.deadline = request.origin.deadline(from: context.monotonic)
        let origin = request.origin
        let waiting = WaitingRequest()
        let promise = context.promise(onCancel: { waiting.leave() })
        let (id, start, tracing) = (context.trace.id, context.monotonic, tracer?.trace(of: context))
        let subscription = proxy.load(request, interim: { [via] in promise.interim($0, via: via) }) {
            [failures, via, live, time] result in
            if Self.hasDownloaded(result) {
                tracing?.downloaded(from: start, to: time.monotonic, hasFailed: result.isFailure)
            }
            switch result {
            case .success(let answer):
                promise.complete(Response(answer, to: target, via: via, now: time.wallSeconds).tagged(tag))
            case .failure(let error):
                var problem = Problem(error)
                failures.tell(of: error, problem, source: origin.source.name, id: id)
                if let expires = target.expires {
                    problem.lifetime = problem.lifetime.map { min($0, max(0, expires - time.wallSeconds)) }
                }
                promise.complete(
                    Response(problem, id: id).with(origin.varyField).readable(by: live.current.answers.cors)
                        .tagged(error.isOverload ? tag | AnswerTag.shed : tag)
                )
            }
        }
        waiting.join(subscription)
        return .later
    }

    /// Whether the origin was asked for this request, and not for another one that it joined.
    private static func hasDownloaded(_ result: Result<RawAnswer, PipelineError>) -> Bool {
        switch result {
        case .success(let answer): answer.cacheStatus.isOfOwnDownload
        case .failure(let error): CacheStatus(error)?.isOfOwnDownload == true
        }
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
    /// Creates the response for a raw source, with this server's name in `Via` (RFC 9110 §7.6.3).
    init(_ answer: RawAnswer, to target: RawTarget, via: ViaName, now: Int64) {
        self.init(status: (200...599).contains(answer.status) ? UInt16(answer.status) : 502)
        let sent = target.expires.map { ExpiringAnswer.fields(answer.fields, expires: $0, now: now, age: answer.age) }
        fields = FieldBlock(forwarding: sent ?? answer.fields, via: via).bytes
        date = answer.fields.line("date").flatMap { FieldBlock.date($0.value) }
        dynamicFields = CacheStatusFields.field(answer.cacheStatus) + target.origin.varyField
        age = answer.age
        contentLength = answer.contentLength
        body = Self.body(answer)
        tag = RequestResult(answer.cacheStatus).tag
        if let edits = target.origin.source.effects?.responseFields {
            // A lifetime that a rule states is not meant for errors, and gives way to that of the request.
            FieldEdits(edits)?.apply(to: &self, except: status < 400 && target.expires == nil ? nil : "cache-control")
        }
    }

    private static func body(_ answer: RawAnswer) -> ResponseBody {
        let range = answer.range
        guard range?.isEmpty != true else { return .none }
        let offset = Int64(range?.lowerBound ?? 0)
        switch answer.body {
        case .bytes(let bytes): return .bytes(bytes, range ?? 0..<bytes.count)
        case .file(let file, let start):
            return .file(file, offset: Int64(start) + offset, length: Int64(range?.count ?? 0))
        case .growing(let reader): return .growing(reader, offset: offset, length: (range?.count).map(Int64.init))
        }
    }
}

extension ResponsePromise {
    /// Sends an interim response of the origin, with this server's name in `Via`.
    fileprivate func interim(_ response: InterimResponse, via: ViaName) {
        let date = response.fields.line("date").flatMap { FieldBlock.date($0.value) } ?? []
        let block = FieldBlock(forwarding: response.fields, via: via)
        interim(status: UInt16(clamping: response.status), fields: date + block.bytes)
    }
}

extension FieldBlock {
    /// Encodes the fields of an origin's response, with this server's name in `Via` (RFC 9110 §7.6.3).
    ///
    /// - Parameter fields: end-to-end fields; those that the server writes itself are left out.
    fileprivate init(forwarding fields: FieldLines, via: ViaName) {
        self.init()
        for line in fields.lines { append(name: Array(line.name.utf8), value: line.value) }
        append("Via", "1.1 \(via.text)")
    }
}

extension OriginRequest {
    /// The encoded `Vary` for the request fields that rules compare; empty for none.
    fileprivate var varyField: [UInt8] {
        guard let names = source.effects?.vary, !names.isEmpty else { return [] }
        var block = FieldBlock()
        block.append("Vary", names.joined(separator: ", "))
        return block.bytes
    }
}
