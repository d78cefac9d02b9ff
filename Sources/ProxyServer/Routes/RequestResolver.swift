import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Turns a request target into the variants that it asks for: path, query, source and plan, parsed once, strictly.
struct RequestResolver: Sendable {
    let table: SourceTable
    /// `nil` where who asks does not matter: for explaining and building requests.
    let permission: RequestPermission?
    let time: any TimeSource

    init(table: SourceTable, permission: RequestPermission?, time: any TimeSource) {
        self.table = table
        self.permission = permission
        self.time = time
    }

    /// Understands requests as a validated configuration says.
    ///
    /// - Throws: `RequestError` when a preset's text is not of the request language, which validation has excluded.
    init(_ configuration: Configuration, time: any TimeSource) throws(RequestError) {
        self.init(
            table: try SourceTable(configuration),
            permission: RequestPermission(configuration.signing),
            time: time
        )
    }

    /// The same without the rules about who may ask and for what: for explaining, building and purging.
    var withoutGuards: RequestResolver {
        var table = table
        for name in table.sources.keys { table.sources[name]?.rule.originals = .serve }
        return RequestResolver(table: table, permission: nil, time: time)
    }

    /// Understands a target in origin-form.
    ///
    /// - Parameter target: path and query, raw.
    /// - Throws: `Problem`, naming the parameter that is wrong.
    func resolve(_ target: [UInt8]) throws(Problem) -> ResolvedRequest {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let query = Array(target[min(mark + 1, target.count)...])
        let rawPath = target[..<mark]
        let path: RequestPath?
        do {
            path = try RequestPath.parse(Array(rawPath))
        } catch {
            throw Problem(error)
        }
        guard let path else { throw Problem(404, "There is no such source.") }
        guard path.source == "fetch" else { return try local(path, rawPath, query: query) }
        guard path.rawPath.isEmpty else { throw Problem(404, "/fetch takes no path; the URL goes into url=.") }
        return try remote(rawPath, query: query)
    }

    private func local(
        _ path: RequestPath,
        _ rawPath: ArraySlice<UInt8>,
        query: [UInt8]
    ) throws(Problem) -> ResolvedRequest {
        guard let entry = table.sources[path.source] else { throw Problem(404, "There is no such source.") }
        let parsed = try parse(query, entry.options)
        try permission?.check(parsed, path: rawPath)
        do {
            let origin: OriginRequest
            switch entry.rule.location {
            case .http(let prefix):
                let url = try OriginURL(prefix + path.rawPath + suffix(parsed, prefix: prefix), parameter: "path")
                origin = OriginRequest(source: entry.rule, target: url.text, identity: url.normalized)
            case .bucket(let bucket):
                let text = bucket.url(rawPath: path.rawPath, rawQuery: parsed.forwardedQuery)
                let url = try OriginURL(text, parameter: "path")
                origin = OriginRequest(source: entry.rule, target: url.text, identity: url.normalized)
            case .file:
                let file = try path.filePath()
                origin = OriginRequest(source: entry.rule, target: file, identity: file)
            case .remote:
                throw Problem(404, "There is no such source.")
            }
            return try request(origin, parsed)
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "The request was not understood.")
        }
    }

    private func remote(_ rawPath: ArraySlice<UInt8>, query: [UInt8]) throws(Problem) -> ResolvedRequest {
        let parsed = try parse(query, table.remote.options)
        guard let text = parsed.url else { throw Problem(400, "url is missing.", parameter: "url") }
        let url: OriginURL
        do {
            url = try OriginURL(text)
        } catch {
            throw Problem(error)
        }
        let isAllowed = table.allowedHosts.contains { $0.matches(url.host) }
        try permission?.checkRemote(parsed, path: rawPath, isAllowed: isAllowed)
        let origin = OriginRequest(source: table.remote.rule, target: url.text, identity: url.normalized)
        return try request(origin, parsed)
    }

    private func parse(_ query: [UInt8], _ options: ParseOptions) throws(Problem) -> ParsedQuery {
        do {
            return try RequestLanguage.parse(query: query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    /// Forwarded parameters as a query, behind a prefix that may have one already.
    private func suffix(_ parsed: ParsedQuery, prefix: String) -> String {
        guard !parsed.forwardedQuery.isEmpty else { return "" }
        return (prefix.contains("?") ? "&" : "?") + parsed.forwardedQuery
    }

    private func request(_ origin: OriginRequest, _ parsed: ParsedQuery) throws(Problem) -> ResolvedRequest {
        let disposition = ContentDisposition.field(filename: parsed.filename, download: parsed.download)
        guard !parsed.isBare else {
            guard origin.source.originals == .serve else {
                throw Problem(403, "This source does not give out its originals.")
            }
            return ResolvedRequest(
                .fixed(VariantRequest(origin: origin, plan: nil, bucket: nil)),
                disposition: disposition,
                expires: parsed.expires
            )
        }
        let plan = parsed.plan.canonicalText
        guard parsed.plan.settings.format == .auto else {
            return ResolvedRequest(
                .fixed(VariantRequest(origin: origin, plan: plan, bucket: nil)),
                disposition: disposition,
                expires: parsed.expires
            )
        }
        return ResolvedRequest(
            .negotiated(
                rest: VariantRequest(origin: origin, plan: plan, bucket: .rest),
                webp: VariantRequest(origin: origin, plan: plan, bucket: .webp),
                avif: VariantRequest(origin: origin, plan: plan, bucket: .avif)
            ),
            disposition: disposition,
            expires: parsed.expires
        )
    }
}

extension Problem {
    /// A request that the language refuses.
    init(_ error: RequestError) {
        switch error.status {
        case .malformed: self.init(400, error.description, parameter: error.parameter)
        case .unprocessable: self.init(422, error.description, parameter: error.parameter)
        }
    }
}
