import HTTPCache
import HTTPKit
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Serves image requests: hits on the event loop, everything else through the pipeline.
final class ImageRoute: Sendable {
    let pipeline: Pipeline
    let metrics: Metrics
    let time: any TimeSource
    let failures: FailureLog
    private let live: LiveConfiguration
    private let rates: ClientRates
    private let redirect: AccelRedirect
    let resolvers: [LoopResolver]
    private let slowMisses: SlowMisses?
    private let brownouts: Brownouts?
    let tracer: Tracer?
    private let owners: OwnerClient?

    /// - Parameters:
    ///   - redirect: which responses have nginx send the content.
    ///   - loops: the number of event loops that call the route.
    ///   - slowMisses: sends placeholders for images that take long; `nil` to let all clients wait.
    ///   - brownouts: answers under overload; `nil` to answer with 503.
    ///   - tracer: what records traced requests; `nil` if none are.
    ///   - owners: asks the owners of originals; `nil` without a cluster.
    init(
        resolver: ResolverCell,
        pipeline: Pipeline,
        metrics: Metrics,
        time: any TimeSource,
        failures: FailureLog,
        live: LiveConfiguration,
        rates: ClientRates,
        redirect: AccelRedirect = AccelRedirect(),
        loops: Int,
        slowMisses: SlowMisses? = nil,
        brownouts: Brownouts? = nil,
        tracer: Tracer? = nil,
        owners: OwnerClient? = nil
    ) {
        self.owners = owners
        self.tracer = tracer
        self.slowMisses = slowMisses
        self.brownouts = brownouts
        self.live = live
        self.rates = rates
        self.redirect = redirect
        self.pipeline = pipeline
        self.metrics = metrics
        self.time = time
        self.failures = failures
        resolvers = (0..<loops).map { _ in LoopResolver(resolver) }
    }

    /// Handles a GET or HEAD request to a site; on the loop's thread.
    func handle(
        _ head: borrowing RequestHead,
        of site: Site,
        bytes: Span<UInt8>,
        context: RequestContext
    ) -> Reply {
        let request: ResolvedRequest
        do {
            request = try resolvers[context.loop].resolve(head, of: site, in: bytes)
        } catch {
            let reader = PageReader(head, of: site, in: bytes)
            return .now(Response(error, to: reader, id: context.trace.id).readable(by: live.current.answers.cors))
        }
        let now = context.wallSeconds
        if let expires = request.expires, now >= expires {
            let (id, reader) = (context.trace.id, PageReader(head, of: site, in: bytes))
            let refusal = Response(ExpiringAnswer.refusal, to: reader, vary: request.vary, id: id)
            return .now(refusal.with(request.fields.crossOrigin).tagged(request.tag))
        }
        let variant: VariantRequest
        if Self.savesData(head, bytes), let saving = request.saving {
            variant = saving.variant(for: bucket(head, bytes))
        } else {
            variant = request.variant(for: bucket(head, bytes))
        }
        let mayDirect = head.has(.cacheControl) || head.has(.pragma) || !request.options.isEmpty
        let directives =
            mayDirect
            ? RequestDirectives(of: request, head, bytes, tokens: [live.current.admin.token, site.token]) : .none
        guard directives.isNone else { return load(variant, of: request, site, directives, head, bytes, context) }
        if let entity = pipeline.cached(variant, now: now) {
            if entity.isStandIn { pipeline.replaceStandIn(of: variant) }
            return .now(hit(entity, .memory, to: request, head, bytes, context))
        }
        if let entity = pipeline.open(variant, now: now) {
            if entity.isStandIn { pipeline.replaceStandIn(of: variant) }
            return .now(hit(entity, .disk, to: request, head, bytes, context))
        }
        // Failures of a request with CDN-Loop are cached by its names, and with unkeyed parameters by these, so it takes the full path.
        if !head.has(.cdnLoop), variant.origin.unkeyed == nil, let entity = pipeline.stale(variant, now: now) {
            return .now(hit(entity, .stale, to: request, head, bytes, context))
        }
        return load(variant, of: request, site, directives, head, bytes, context)
    }

    @inline(__always)
    private func hit(
        _ entity: Entity,
        _ tier: CacheStatus.Tier,
        to request: ResolvedRequest,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> Response {
        let now = context.wallSeconds
        let entity = AcceptEncoding.form(of: entity, for: head, bytes)
        let (status, result) =
            switch tier {
            case .memory: (request.fields.memory, RequestResult.memory.tag)
            case .disk: (request.fields.disk, RequestResult.disk.tag)
            default: (CacheStatusFields.stale + request.fields.all, RequestResult.stale.tag)
            }
        let tag = result | request.tag
        let isFinal = !entity.isStandIn
        var dynamic = isFinal ? status : CacheStatusFields.deferred(.hit(tier)) + request.fields.all
        if let disposition = request.disposition { dynamic += disposition.field(for: entity.description.mediaType) }
        let conditions = RequestConditions.areIn(head) ? RequestConditions(head, bytes: bytes) : nil
        let response: Response
        if conditions != nil || request.expires != nil || !isFinal || request.isPersonal || request.rules.edits != nil {
            response = Self.response(entity, to: request, conditions: conditions, dynamic: dynamic, now: now, tag: tag)
        } else {
            response = EntityResponse.whole(entity, dynamic: dynamic, age: entity.age(at: now), tag: tag)
        }
        guard conditions == nil, redirect.isWanted(by: head, bytes, context) else { return response }
        return redirect.redirecting(response, of: entity, isEdited: request.rules.edits != nil)
    }

    /// Whether the client requests reduced data usage (Save Data API §2).
    @inline(__always)
    private static func savesData(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.has(.saveData) else { return false }
        var isOn = false
        head.forEach(.saveData) { isOn = isOn || SaveData.isOn(bytes.extracting($0)) }
        return isOn
    }

    /// The bucket of the client, with the formats that workers encode.
    private func bucket(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> FormatBucket {
        var best = FormatBucket.rest
        head.forEach(.accept) { value in
            best = best.union(FormatBucket(accept: bytes.extracting(value)))
        }
        return pipeline.bucket(limiting: best)
    }

    private func load(
        _ variant: VariantRequest,
        of request: ResolvedRequest,
        _ site: Site,
        _ directives: RequestDirectives,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> Reply {
        let rate = live.current.clients.rate
        if let delay = rates.delay(of: context, rate: rate) {
            let refusal = Response(.tooManyRequests(after: delay), vary: request.vary, id: context.trace.id)
            let fields = RateLimitFields.bytes(rate: rate, seconds: delay)
            return .now(refusal.with(fields).with(request.fields.crossOrigin).tagged(request.tag))
        }
        if let refusal = refusal(ofKeyOf: request, site, context) { return .now(refusal.tagged(request.tag)) }
        let conditions = RequestConditions(head, bytes: bytes)
        let waiting = WaitingRequest()
        let promise = SourcedPromise(context.promise(onCancel: { waiting.leave() }), tag: request.tag)
        let (trace, reader) = (context.trace, PageReader(head, of: site, in: bytes))
        let (start, tracing) = (context.monotonic, tracer?.trace(of: context))
        tracing?.resolved(variant.origin)
        var load = loadContext(for: variant, of: request, site, directives, head, bytes, context, tracing)
        load.takesArriving = head.method == .get && conditions == nil
        let bucket = variant.bucket ?? .rest
        let takesGzip = AcceptEncoding.namesGzip(head, bytes)
        let takesRedirect = conditions == nil && redirect.isWanted(by: head, bytes, context)
        let brownouts =
            directives.isNone ? self.brownouts.flatMap { Brownouts.apply(to: variant, of: request) ? $0 : nil } : nil
        load.takesBrownout = brownouts != nil
        let subscription = pipeline.load(variant, load) { [self, account = load.account] result in
            defer { if SlowMisses.apply(to: variant, of: request) { slowMisses?.ended(variant) } }
            switch result {
            case .success(let answer):
                // Stages that several requests waited for are counted once.
                if !answer.status.isCollapsed { metrics.stages.observe(answer.timings) }
                let note = AnswerNote(answer, end: time.monotonic)
                if let rung = answer.rung, let brownouts, !promise.isCompleted {
                    return promise.complete(brownouts.response(answer, rung, for: variant, of: request), note)
                }
                var answer = answer
                if takesGzip { answer.entity = answer.entity.compressed ?? answer.entity }
                var response = Self.response(answer, to: request, conditions: conditions, now: time.wallSeconds)
                if takesRedirect {
                    let isEdited = request.rules.edits != nil
                    response = redirect.redirecting(response, of: answer.entity, isEdited: isEdited)
                }
                promise.complete(response, note)
            case .failure(let error):
                if CacheStatus(error)?.isOfOwnDownload == true {
                    tracing?.downloaded(from: start, to: time.monotonic, hasFailed: true)
                }
                if error.isOverload, let brownouts, !promise.isCompleted {
                    return brownouts.placeholder(for: variant, of: request, after: error) { [self] placeholder in
                        promise.complete(placeholder ?? refusal(error, of: variant, request, reader, id: trace.id))
                    }
                }
                let left = request.expires.map { max(0, $0 - time.wallSeconds) } ?? .max
                let response = refusal(error, of: variant, request, reader, id: trace.id)
                guard let fallback = request.fallback, error.isOriginFault else {
                    promise.complete(response)
                    return
                }
                standIn(fallback, bucket, of: request, for: account, secondsLeft: left, else: response) { [self] in
                    promise.complete($0)
                    // A placeholder may have been considered since the failure.
                    if SlowMisses.apply(to: variant, of: request) { slowMisses?.ended(variant) }
                }
            }
        }
        waiting.join(subscription)
        if directives.isNone { watch(variant, of: request, waiting, promise) }
        return .later
    }

    /// The context of a load, without what the response can be.
    private func loadContext(
        for variant: VariantRequest,
        of request: ResolvedRequest,
        _ site: Site,
        _ directives: RequestDirectives,
        _ head: borrowing RequestHead,
        _ bytes: Span<UInt8>,
        _ context: RequestContext,
        _ tracing: RequestTrace?
    ) -> LoadContext {
        var load = LoadContext(demand: directives.demand, caller: OriginCaller(head, bytes, context, of: tracing))
        load.caller.unkeyed = variant.origin.unkeyed
        load.account = context.account(in: site)
        load.deadline = variant.deadline(from: context.monotonic)
        load.priority = request.rules.priority ?? RequestPriority(head, bytes)
        load.waitsForStore = directives.waitsForStore
        // What seems to come from a node is never passed on, whether it has the token or not.
        if let owners, directives.isNone, !head.has(.edgeprintNode), owners.asks(for: variant) {
            load.question = OwnerQuestion(head, bytes, of: site)
        }
        return load
    }

    /// Responds with a placeholder if the image takes long, and the request may have one.
    private func watch(
        _ variant: VariantRequest,
        of request: ResolvedRequest,
        _ waiting: WaitingRequest,
        _ promise: SourcedPromise
    ) {
        guard SlowMisses.apply(to: variant, of: request) else { return }
        let dynamic = request.fields.all
        let client = SlowMisses.Client(waiting: waiting, isAnswered: { promise.isCompleted }) { [time] known in
            let left = request.expires.map { max(0, $0 - time.wallSeconds) } ?? .max
            let lifetime = min(left, variant.origin.source.slowMiss.lifetime)
            promise.complete(
                PlaceholderPicture(of: variant, known)
                    .response(lifetime: lifetime, isPersonal: request.isPersonal, dynamic: dynamic)
            )
        }
        slowMisses?.watch(variant, client)
    }

    /// Logs a failure, and returns its response.
    private func refusal(
        _ error: PipelineError,
        of variant: VariantRequest,
        _ request: ResolvedRequest,
        _ reader: PageReader?,
        id: String
    ) -> Response {
        var problem = Problem(error)
        failures.tell(of: error, problem, source: variant.origin.source.name, id: id)
        // A response must not be reused after the request has expired.
        let left = request.expires.map { max(0, $0 - time.wallSeconds) } ?? .max
        problem.lifetime = request.isPersonal ? nil : problem.lifetime.map { min($0, left) }
        let response = Response(problem, to: reader, vary: request.vary, id: id).with(request.fields.crossOrigin)
        return error.isOverload ? response.tagged(AnswerTag.shed) : response
    }

    /// The refusal of a request whose signing key has used up `signing.rate` of its site; `nil` to proceed.
    private func refusal(ofKeyOf request: ResolvedRequest, _ site: Site, _ context: RequestContext) -> Response? {
        guard let key = request.rules.signingKey else { return nil }
        return rates.refusal(ofKey: key, of: site, context, vary: request.vary)?.with(request.fields.crossOrigin)
    }

    /// Responds with the source's fallback image.
    ///
    /// - Parameter response: the response if the fallback image fails as well.
    private func standIn(
        _ fallback: ResolvedRequest.StandInPicture,
        _ bucket: FormatBucket,
        of request: ResolvedRequest,
        for account: String?,
        secondsLeft: Int64,
        else response: Response,
        complete: @escaping @Sendable (Response) -> Void
    ) {
        let variant = fallback.choice.variant(for: bucket)
        var load = LoadContext()
        load.account = account
        load.deadline = variant.deadline(from: time.monotonic)
        pipeline.load(variant, load) { result in
            guard let entity = try? result.get().entity else { return complete(response) }
            let ttl = min(fallback.ttl, secondsLeft)
            complete(FallbackAnswer.response(entity, status: fallback.status, ttl: ttl, vary: request.fields.vary))
        }
    }

    private static func response(
        _ answer: Answer,
        to request: ResolvedRequest,
        conditions: RequestConditions?,
        now: Int64
    ) -> Response {
        let status = answer.status
        let isFinal = !answer.entity.isStandIn
        let field =
            answer.isStored.map { CacheStatusFields.field(status, isStored: $0) }
            ?? (isFinal ? CacheStatusFields.field(status) : CacheStatusFields.deferred(status))
        return response(
            answer.entity,
            to: request,
            conditions: conditions,
            dynamic: field + request.fields(for: answer.entity.description.mediaType)
                + (request.tellsTiming ? ServerTimingField.bytes(answer.timings) : []),
            now: now,
            tag: RequestResult(status).tag
        )
    }

    private static func response(
        _ entity: Entity,
        to request: ResolvedRequest,
        conditions: RequestConditions?,
        dynamic: [UInt8],
        now: Int64,
        tag: UInt64
    ) -> Response {
        let age = entity.age(at: now)
        var response: Response
        if let conditions {
            response = EntityResponse.conditional(
                entity,
                conditions: conditions,
                dynamic: dynamic,
                age: age,
                now: now,
                tag: tag
            )
        } else {
            response = EntityResponse.whole(entity, dynamic: dynamic, age: age, tag: tag)
        }
        // The lifetime of a stand-in starts now.
        let left = [request.expires.map { $0 - now }, entity.description.standIn?.lifetime].compactMap(\.self).min()
        if left != nil || request.isPersonal, response.status < 400 {
            let description =
                request.isPersonal ? PersonalAnswer.description(entity.description) : entity.description
            let fields =
                left.map { ExpiringAnswer.fields(description, secondsLeft: $0, age: age) }
                ?? EntityPresentation.fields(description)
            response.fields = response.status == 304 ? EntityPresentation.notModified(fields) : fields
        }
        // Also on a 412 or 416 in its place.
        response.tag |= request.tag
        if let edits = request.rules.edits, response.status < 400 {
            // Lifetimes and privacy of this request take precedence over a rule's Cache-Control.
            edits.apply(to: &response, except: left != nil || request.isPersonal ? "cache-control" : nil)
        }
        return response
    }
}
