import ImagePipeline
import ImagePlan
import LinuxSystem

extension RequestResolver {
    /// What a target of a raw source asks upstream; `nil` where it belongs to no raw source.
    ///
    /// The whole query goes along. Where signatures are required, `sig` and `exp` are ours and stay here; elsewhere a query may
    /// have an `sig` of the origin's own.
    /// - Throws: `Problem`, naming what is wrong with it.
    func rawOrigin(of target: [UInt8]) throws(Problem) -> OriginRequest? {
        guard table.hasRaw else { return nil }
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let rawPath = target[..<mark]
        guard let name = Self.sourceName(rawPath) else { return nil }
        let query = mark < target.count ? Array(target[(mark + 1)...]) : nil
        if name == "fetch" { return table.remote.rule.isRaw ? try rawRemote(rawPath, query ?? []) : nil }
        guard let rule = table.sources[name]?.rule, rule.isRaw, let prefix = rule.location.urlPrefix else { return nil }
        do {
            guard let path = try RequestPath.parse(Array(rawPath)) else { return nil }
            var suffix = query
            if let permission, permission.isRequired {
                suffix = try rawSigned(rawPath, query ?? [], permission)
            }
            let text = prefix + path.rawPath + (suffix.map { "?" + String(decoding: $0, as: UTF8.self) } ?? "")
            let url = try OriginURL(text, parameter: "path")
            return OriginRequest(source: rule, target: url.text, identity: url.normalized)
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "The request was not understood.")
        }
    }

    /// The query without our own parameters, the signature verified; `nil` where nothing else is in it.
    private func rawSigned(
        _ path: ArraySlice<UInt8>,
        _ query: [UInt8],
        _ permission: RequestPermission
    ) throws -> [UInt8]? {
        let ampersand = UInt8(ascii: "&")
        let pairs = query.split(separator: ampersand, omittingEmptySubsequences: false)
        func name(_ pair: ArraySlice<UInt8>) -> String {
            String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
        let own = Array(pairs.filter { ["sig", "exp"].contains(name($0)) }.joined(separator: [ampersand]))
        let parsed = try RequestLanguage.parse(query: own, options: ParseOptions())
        let unsigned = Array(pairs.filter { name($0) != "sig" }.joined(separator: [ampersand]))
        try permission.check(parsed.signature, path: path, query: unsigned)
        try Self.checkExpiry(parsed.expires, time.wallSeconds)
        let rest = Array(pairs.filter { !["sig", "exp"].contains(name($0)) }.joined(separator: [ampersand]))
        return rest.isEmpty ? nil : rest
    }

    private func rawRemote(_ path: ArraySlice<UInt8>, _ query: [UInt8]) throws(Problem) -> OriginRequest {
        guard path.elementsEqual(Array("/fetch".utf8)) else {
            throw Problem(404, "/fetch takes no path; the URL goes into url=.")
        }
        do {
            let parsed = try RequestLanguage.parse(query: query, options: table.remote.options)
            guard parsed.isBare, let text = parsed.url else {
                throw Problem(
                    400,
                    "/fetch passes whole answers on here (remote.raw): url, sig and exp are all it takes."
                )
            }
            let url = try OriginURL(text)
            let isAllowed = table.allowedHosts.contains { $0.matches(url.host) }
            try permission?.checkRemote(parsed, path: path, isAllowed: isAllowed)
            try Self.checkExpiry(parsed.expires, time.wallSeconds)
            return OriginRequest(source: table.remote.rule, target: url.text, identity: url.normalized)
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "The request was not understood.")
        }
    }

    private static func checkExpiry(_ expires: Int64?, _ now: Int64) throws(Problem) {
        if let expires, now >= expires { throw ExpiringAnswer.refusal }
    }

    /// The first segment of a path.
    private static func sourceName(_ path: ArraySlice<UInt8>) -> String? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: path.dropFirst().prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }
}

extension SourceTable {
    /// Whether anything passes through as it is.
    var hasRaw: Bool { remote.rule.isRaw || sources.values.contains(where: \.rule.isRaw) }
}

extension RequestPermission {
    /// Lets a request whose query is not of the request language pass.
    ///
    /// - Parameter query: the raw query without `sig`.
    /// - Throws: 403.
    func check(_ signature: String?, path: some Collection<UInt8>, query: some Collection<UInt8>) throws(Problem) {
        guard let signature else {
            guard !isRequired else { throw Problem(403, "Requests need a signature.", parameter: "sig") }
            return
        }
        try Self.refuse(signer.verdict(on: signature, path: path, query: query))
    }
}
