import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

extension RequestResolver {
    /// What a target of a raw source asks upstream; `nil` where it belongs to no raw source.
    ///
    /// The whole query goes along. Where signatures are required, `sig` and `exp` are ours and stay here; elsewhere a query may
    /// have an `sig` of the origin's own.
    /// - Parameter method: what the request does, which its source must take and its signature must be for.
    /// - Throws: `Problem`, naming what is wrong with it.
    func rawOrigin(of target: [UInt8], method: String = "GET") throws(Problem) -> OriginRequest? {
        guard table.hasRaw else { return nil }
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let rawPath = target[..<mark]
        guard let rule = rawRule(of: target) else { return nil }
        guard rule.allMethods.contains(method) else { throw Problem(methodRefusedBy: rule) }
        let query = mark < target.count ? Array(target[(mark + 1)...]) : nil
        guard let prefix = rule.location.urlPrefix else { return try rawRemote(rawPath, query ?? [], method) }
        do {
            guard let path = try RequestPath.parse(Array(rawPath)) else { return nil }
            let suffix = signsRaw ? try rawSigned(rawPath, query ?? [], method) : query
            let text = prefix + path.rawPath + (suffix.map { "?" + String(decoding: $0, as: UTF8.self) } ?? "")
            return OriginRequest(source: rule, url: try OriginURL(text, of: "path"))
        } catch let error as RequestError {
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(500, "The request was not understood.")
        }
    }

    /// The rule of the raw source that a target is for; `nil` where it is for none.
    func rawRule(of target: some Collection<UInt8>) -> SourceRule? {
        guard target.first == UInt8(ascii: "/") else { return nil }
        let segment = target.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let name = String(decoding: Array(segment), as: UTF8.self)
        let rule = name == "fetch" ? table.remote.rule : table.sources[name]?.rule
        return rule?.isRaw == true ? rule : nil
    }

    /// The query without our own parameters, the signature verified; `nil` where nothing else is in it.
    private func rawSigned(_ path: ArraySlice<UInt8>, _ query: [UInt8], _ method: String) throws -> [UInt8]? {
        let own = try RawSignature(query)
        if let permission {
            try permission.check(own.signature, path: path, query: own.unsigned, method: method)
            try Self.checkExpiry(own.expires, time.wallSeconds)
        }
        return own.rest
    }

    private func rawRemote(
        _ path: ArraySlice<UInt8>,
        _ query: [UInt8],
        _ method: String
    ) throws(Problem) -> OriginRequest {
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
            let url = try OriginURL(text, of: "url")
            let isAllowed = table.allowedHosts.contains { $0.matches(url.hostText) }
            if let permission {
                try permission.checkRemote(parsed, path: path, method: method, isAllowed: isAllowed)
                try Self.checkExpiry(parsed.expires, time.wallSeconds)
            }
            return OriginRequest(source: table.remote.rule, url: url)
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
}

extension SourceTable {
    /// Whether anything passes through as it is.
    var hasRaw: Bool { remote.rule.isRaw || sources.values.contains(where: \.rule.isRaw) }
}

extension Problem {
    /// A method that a raw source does not take (RFC 9110 §15.5.6).
    init(methodRefusedBy rule: SourceRule) {
        let methods = rule.allMethods
        let list = methods.dropLast().joined(separator: ", ") + " and " + (methods.last ?? "")
        self.init(405, "This source takes \(list) only.", allow: methods.joined(separator: ", "))
    }
}

extension RequestPermission {
    /// Lets a request whose query is not of the request language pass.
    ///
    /// - Parameter query: the raw query without `sig`.
    /// - Throws: 403.
    func check(
        _ signature: String?,
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String
    ) throws(Problem) {
        guard let signature else {
            guard !isRequired else { throw Problem(403, "Requests need a signature.", parameter: "sig") }
            return
        }
        try Self.refuse(signer.verdict(on: signature, path: path, query: query, method: method))
    }
}
