package import HTTPSemantics

/// A request through a raw source, as it goes upstream: any method, any fields, any content.
package struct RawRequest: Sendable {
    /// A token, in its own case.
    package private(set) var method: String
    /// The absolute URL that is asked, under which source; its key is what responses are stored under.
    package let origin: OriginRequest
    /// The end-to-end fields, without `Host`.
    package private(set) var fields: FieldLines
    package let body: [UInt8]
    /// Through whom the request has come.
    package var caller = OriginCaller.nobody
    /// What the request says of stored responses (RFC 9111 §5.2.1, §5.4).
    package let control: CacheControl

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - fields: as they came; those that belong to the connection, or to intermediaries, are left out here.
    package init(method: String, origin: OriginRequest, fields: FieldLines, body: [UInt8] = []) {
        self.method = method
        self.origin = origin
        var fields = fields.endToEnd
        // The connection's own business: Host and length are written anew, 100-continue was answered.
        fields.remove(["host", "content-length", "expect"])
        // A visitor's credentials are for this server, not for each host that `/fetch` may name.
        if origin.source.location == .remote { fields.remove(["authorization", "cookie", "proxy-authorization"]) }
        self.fields = fields.forwardable(method: method)
        self.body = body
        var control = fields["cache-control"].map { CacheControl($0) } ?? CacheControl()
        // RFC 9111 §5.4: Pragma counts where there is no Cache-Control.
        if !fields.contains("cache-control"), let pragma = fields["pragma"] {
            if FieldLines.members(pragma).contains("no-cache") { control.noCache = .whole }
        }
        self.control = control
    }

    /// The rule that it is asked under.
    var source: SourceRule { origin.source }
    /// What responses are stored under.
    var key: CacheKey { origin.key }
    /// Whether it named the whole URL itself (`/fetch?url=`).
    var isRemote: Bool { origin.source.location == .remote }
    /// Which tiers keep its responses: those of originals.
    var tiers: CacheTiers { origin.source.cache.originals }

    /// Whether stored responses may answer it at all.
    var isCacheable: Bool { isGet || isHead }
    var isGet: Bool { method == "GET" }
    var isHead: Bool { method == "HEAD" }

    /// RFC 9110 §9.2.1.
    var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Whether it asks for a part.
    var isPartial: Bool { isGet && fields.contains("range") }

    /// Whether only the origin can evaluate its conditions (RFC 9110 §13.1.1, §13.1.4).
    var isForOrigin: Bool { fields.contains("if-match") || fields.contains("if-unmodified-since") }

    /// Whether another request's answer may do, if it can be stored.
    var mayCollapse: Bool {
        isGet && body.isEmpty && !isForOrigin && control.noCache == .absent && !control.noStore
            && !["range", "authorization", "if-none-match", "if-modified-since"].contains { fields.contains($0) }
    }

    /// What of it has a say in whether an answer is kept.
    var policy: ResponsePolicy.Request {
        ResponsePolicy.Request(
            isGet: isGet,
            isAuthorized: fields.contains("authorization"),
            noStore: control.noStore
        )
    }

    /// The same for the whole, without the client's conditions.
    var unconditional: RawRequest {
        var request = self
        request.fields.remove(["if-none-match", "if-modified-since", "range", "if-range"])
        return request
    }

    /// The same with GET, for judging what HEAD has told.
    var asGet: RawRequest {
        var request = self
        request.method = "GET"
        return request
    }

    /// The same, asking whether a stored response is still right: both validators (RFC 9111 §4.3.1).
    func validating(_ stored: StoredResponse) -> RawRequest {
        var request = unconditional
        if let tag = stored.fields.line("etag") { request.fields.append("If-None-Match", tag) }
        if let modified = stored.fields.line("last-modified") { request.fields.append("If-Modified-Since", modified) }
        return request
    }
}
