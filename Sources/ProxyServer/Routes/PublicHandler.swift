import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Handles requests of the public listener: images, raw sources, purges and a few fixed responses.
final class PublicHandler: RequestHandler {
    private let images: ImageRoute
    private let raw: RawRoute
    private let observer: RequestObserver
    private let purger: Purger
    private let live: LiveConfiguration
    private let via: ViaName

    init(
        images: ImageRoute,
        raw: RawRoute,
        observer: RequestObserver,
        purger: Purger,
        live: LiveConfiguration,
        via: ViaName
    ) {
        self.images = images
        self.raw = raw
        self.observer = observer
        self.purger = purger
        self.live = live
        self.via = via
    }

    func handle(_ head: borrowing RequestHead, bytes: Span<UInt8>, context: RequestContext) -> Reply {
        observer.began(loop: context.loop)
        if via.hasLoop(head, bytes) { return .now(readable(Response(.loop, id: context.trace.id))) }
        if !context.body.isEmpty, head.method == .get || head.method == .head {
            return .now(readable(Response(.contentRefused, closes: true, id: context.trace.id)))
        }
        if let reply = raw.handle(head, bytes: bytes, context: context) { return reply }
        switch head.method {
        case .get, .head: break
        case .options: return .now(Self.options(live.current.answers.cors))
        case .purge: return purge(head, bytes, context)
        default: return .now(readable(Response(Self.methodNotAllowed)))
        }
        if let fixed = FixedAnswers.response(to: head.pathAndQuery, in: bytes) { return .now(readable(fixed)) }
        return images.handle(head, bytes: bytes, context: context)
    }

    func refusal(of head: borrowing RequestHead, bytes: Span<UInt8>, loop: Int, peer: PeerAddress) -> Response? {
        guard let problem = refusedContent(head, bytes, loop) else { return nil }
        var response = readable(Response(problem, closes: true))
        response.tag |= RequestResult.unhandled
        return response
    }

    private func refusedContent(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ loop: Int) -> Problem? {
        if head.method == .get || head.method == .head { return .contentRefused }
        switch raw.expectation(head, bytes: bytes, loop: loop) {
        case .wanted: return nil
        case .refused(let problem): return problem
        case .notRaw: break
        }
        switch head.method {
        case .options: return nil
        case .purge where live.current.takesPurges: return nil
        default: return Self.methodNotAllowed
        }
    }

    /// Handles `PURGE /NAME/PATH`, or `/` with tags or content, from permitted clients.
    private func purge(_ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ context: RequestContext) -> Reply {
        let configuration = live.current
        guard configuration.takesPurges else {
            return .now(readable(Response(Self.methodNotAllowed)))
        }
        let isAllowed =
            configuration.purge.allow.contains(context.peer)
            || BearerCredentials(head, bytes).matches(configuration.admin.token)
        guard isAllowed else {
            return .now(Response(Problem(403, "This client is not allowed to purge (purge.allow).")))
        }
        do throws(Problem) {
            let target = String(decoding: bytes.copy(head.pathAndQuery), as: UTF8.self)
            let order = try PurgeOrder(target: target, fields: PurgeFields(head, bytes), body: context.body)
            let selection = try purger.selection(of: order.target)
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
        observer.finished(exchange, target: target)
    }

    func tick(loop: Int) { observer.flush(loop: loop) }

    static let methods = "GET, HEAD, OPTIONS"
    private static let methodNotAllowed = Problem(405, "Only GET, HEAD and OPTIONS are allowed.", allow: methods)

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

/// Constant responses: `/`, `/robots.txt` and `/favicon.ico`.
enum FixedAnswers {
    /// The response to `/` without a query, or to one of the other two with any query; `nil` for everything else.
    ///
    /// `/?url=…`, which some image proxies use, must not look like a success.
    static func response(to target: Range<Int>, in bytes: Span<UInt8>) -> Response? {
        // The longest path has 12 bytes, so most targets are dismissed after a short scan.
        guard let start = target.first else { return root }
        var end = start
        while end < target.upperBound, end - start <= 12, bytes[end] != UInt8(ascii: "?") { end += 1 }
        switch end - start {
        // Absolute-form may have no path, which is equivalent to "/".
        case 0: return target.upperBound <= end + 1 ? root : nil
        case 1 where bytes[start] == UInt8(ascii: "/"): return target.upperBound <= end + 1 ? root : nil
        case 11 where equal(bytes, start, "/robots.txt"): return robots
        case 12 where equal(bytes, start, "/favicon.ico"): return favicon
        default: return nil
        }
    }

    private static let root = Response(text: "Edgeprint, an image proxy.\n")
    private static let robots = Response(text: "User-agent: *\nDisallow: /\n")
    private static let favicon = Response(text: "Not found.\n", status: 404)

    private static func equal(_ bytes: Span<UInt8>, _ start: Int, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { buffer in
            for index in 0..<buffer.count where unsafe bytes[start + index] != buffer[index] { return false }
            return true
        }
    }
}
