import HTTPKit
import HTTPSemantics
import ImagePipeline
import LinuxSystem

/// Handles requests of the public listener: images, raw sources, purges and a few fixed responses.
final class PublicHandler: RequestHandler {
    private let images: ImageRoute
    private let raw: RawRoute
    private let plain: PlainPictureRoute
    private let observer: RequestObserver
    private let purger: Purger
    private let live: LiveConfiguration
    private let via: ViaName
    private let tracer: Tracer?
    private let nodes: NodeGate?
    /// One for each event loop.
    private let sites: [LoopSites]

    /// - Parameters:
    ///   - sites: one for each event loop that calls the handler.
    ///   - tracer: records traced requests; `nil` to record none.
    ///   - nodes: recognises the requests of other nodes; `nil` without a cluster.
    init(
        images: ImageRoute,
        raw: RawRoute,
        observer: RequestObserver,
        purger: Purger,
        live: LiveConfiguration,
        via: ViaName,
        sites: [LoopSites],
        tracer: Tracer? = nil,
        nodes: NodeGate? = nil
    ) {
        self.nodes = nodes
        self.sites = sites
        self.tracer = tracer
        self.images = images
        self.raw = raw
        plain = PlainPictureRoute(live: live)
        self.observer = observer
        self.purger = purger
        self.live = live
        self.via = via
    }

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        observer.began(loop: context.loop)
        tracer?.began(head, bytes, context)
        if via.hasLoop(head, bytes) { return .now(readable(Response(.loop, id: context.trace.id))) }
        guard let site = sites[context.loop].site(of: head, in: bytes) else {
            return .now(readable(Response(.noSite, id: context.trace.id)))
        }
        site.requests?.add(1, loop: context.loop)
        if !context.body.isEmpty, head.method == .get || head.method == .head {
            return .now(readable(Response(.contentRefused, closes: true, id: context.trace.id)))
        }
        if let nodes, head.method == .get {
            switch nodes.sender(of: head, bytes, context) {
            case .client: break
            case .node(let query):
                return images.handle(query, by: nodes, head, of: site, bytes: bytes, context: context)
            case .stranger: return .now(Response(NodeAnswer.strange, id: context.trace.id))
            }
        }
        if let reply = raw.handle(head, of: site, bytes: bytes, context: context) { return reply }
        switch head.method {
        case .get, .head: break
        case .options: return .now(Self.options(live.current.answers.cors))
        case .purge: return purge(head, of: site, bytes, context)
        default: return .now(readable(Response(Self.refusal(ofMethodOf: head, bytes))))
        }
        if let fixed = FixedAnswers.response(to: head.pathAndQuery, in: bytes) { return .now(readable(fixed)) }
        if let response = plain.handle(head, of: site, bytes: bytes, context: context) { return .now(response) }
        return images.handle(head, of: site, bytes: bytes, context: context)
    }

    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response? {
        guard let problem = refusedContent(head, bytes, loop) else { return nil }
        var response = readable(Response(problem, closes: true))
        response.tag |= RequestResult.unhandled
        return response
    }

    private func refusedContent(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ loop: Int) -> Problem? {
        guard let site = sites[loop].site(of: head, in: bytes) else { return .noSite }
        if head.method == .get || head.method == .head { return .contentRefused }
        switch raw.expectation(head, of: site, bytes: bytes) {
        case .wanted: return nil
        case .refused(let problem): return problem
        case .notRaw: break
        }
        switch head.method {
        case .options: return nil
        case .purge where live.current.takesPurges: return nil
        default: return Self.refusal(ofMethodOf: head, bytes)
        }
    }

    /// Handles `PURGE /NAME/PATH`, or `/` with tags or content, from permitted clients of a site.
    private func purge(
        _ head: borrowing RequestHead,
        of site: Site,
        _ bytes: Span<UInt8>,
        _ context: RequestContext
    ) -> Reply {
        let configuration = live.current
        guard configuration.takesPurges else {
            return .now(readable(Response(Self.methodNotAllowed)))
        }
        let credentials = BearerCredentials(head, bytes)
        let isOperator = credentials.matches(configuration.admin.token)
        guard isOperator || site.purgers.contains(context.peer) || credentials.matches(site.token) else {
            return .now(Response(Problem(403, "This client is not allowed to purge (purge.allow).")))
        }
        do throws(Problem) {
            let path = String(decoding: bytes.copy(head.pathAndQuery), as: UTF8.self)
            let target = site.stripped(path) == "/" ? "/" : path
            let order = try PurgeOrder(
                target: target,
                fields: PurgeFields(head, bytes),
                body: context.body,
                isInCluster: purger.cluster != nil
            )
            let selection = try purger.selection(of: order, purger.rights(at: site, isOperator: isOperator))
            let promise = context.promise()
            purger.purge(selection, order, by: "\(context.peer)") { response in
                var response = response
                response.tag = RequestResult.other.tag
                promise.complete(response)
            }
            return .later
        } catch {
            return .now(Response(error))
        }
    }

    func reject(_ rejection: RequestRejection) -> Response {
        var response = readable(Response(Problem(rejection), closes: true))
        // An abandoned promise belongs to a request that reached a route; all other rejections happen before.
        if rejection != .abandoned { response.tag |= RequestResult.unhandled }
        return response
    }

    var wantsCompletions: Bool { true }

    func finished(_ exchange: ExchangeSummary, target: Span<UInt8>) {
        tracer?.ended(exchange, target: target)
        observer.finished(exchange, target: target)
    }

    func fileFailed(_ file: SharedDescriptor) { images.pipeline.noteFailure(of: file) }

    func tick(loop: Int) { observer.flush(loop: loop) }

    static let methods = "GET, HEAD, OPTIONS"
    private static let methodNotAllowed = Problem(405, "Only GET, HEAD and OPTIONS are allowed.", allow: methods)

    private static func refusal(ofMethodOf head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Problem {
        guard case .other(let name) = head.method else { return methodNotAllowed }
        return Problem(unknownMethod: String(decoding: bytes.copy(name), as: UTF8.self))
    }

    /// The response with CORS fields.
    private func readable(_ response: Response) -> Response { response.readable(by: live.current.answers.cors) }

    /// The response to OPTIONS, including CORS preflights.
    static func options(_ pages: CrossOrigin, methods: String = methods) -> Response {
        var response = Response(status: 204)
        var block = FieldBlock()
        block.append("Allow", methods)
        response.fields = block.bytes + pages.preflightFields(methods: methods) + CommonFields.bytes
        response.tag = RequestResult.other.tag
        return response
    }
}

extension Problem {
    /// A GET or HEAD with content, which has no defined meaning and is not part of the cache key (RFC 9110 §9.3.1).
    static let contentRefused = Problem(400, "GET and HEAD requests must not have content.")
}
