import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

/// A request of a raw source, resolved.
struct RawTarget: Sendable {
    let origin: OriginRequest
    /// The key that has signed the request, counted from 1; `nil` if it is not signed.
    let signingKey: Int?
    /// `exp`, seconds since 1970; `nil` without one, and where it belongs to the origin.
    let expires: Int64?
}

extension RequestResolver {
    /// The upstream request for a target of a raw source; `nil` if the target is not of a raw source.
    ///
    /// The whole query is forwarded. If signatures are required, `sig` and `exp` are removed; otherwise they belong to the origin.
    /// - Parameter method: the request method, which the source must accept and the signature must cover.
    /// - Throws: `Problem` that describes the error in the target.
    func rawOrigin(of target: [UInt8], method: String = "GET") throws(Problem) -> OriginRequest? {
        try rawTarget(of: target, method: method)?.origin
    }

    /// The same, with what the request's signature states.
    func rawTarget(of target: [UInt8], method: String) throws(Problem) -> RawTarget? {
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let rawPath = target[..<mark]
        guard let rule = rawRule(of: target) else { return nil }
        guard rule.allMethods.contains(method) else { throw Problem(methodRefusedBy: rule) }
        let query = mark < target.count ? Array(target[(mark + 1)...]) : nil
        guard let prefix = rule.location.urlPrefix else { return try rawRemote(rawPath, query ?? [], method) }
        do {
            guard let path = try RequestPath.parse(Array(rawPath)), let entry = table.sources[path.source] else {
                return nil
            }
            var (suffix, key, expires): ([UInt8]?, Int?, Int64?) = (query, nil, nil)
            if signsRaw {
                let own = try RawSignature(query ?? [])
                key = try rawKey(own, rawPath, method)
                (suffix, expires) = (own.rest, own.expires)
            }
            let ruled = ruled(entry, path)
            try checkAccess(ruled)
            let rest = ruled.editedRaw(suffix.map { String(decoding: $0, as: UTF8.self) })
            let text = prefix + (try ruled.path(path)).rawPath + (rest.map { "?" + $0 } ?? "")
            let origin = OriginRequest(source: ruled.entry.rule, url: try OriginURL(ofTarget: text))
            return RawTarget(origin: origin, signingKey: key, expires: expires)
        } catch {
            throw Problem(resolving: error)
        }
    }

    /// The rule of a target's raw source, or `nil` if it is not of a raw source.
    func rawRule(of target: some Collection<UInt8>) -> SourceRule? {
        guard target.first == UInt8(ascii: "/"), table.dialect == nil else { return nil }
        let name = RequestPath.name(in: target)
        let rule = name == "fetch" ? table.remote.rule : table.sources[name]?.rule
        return rule?.isRaw == true ? rule : nil
    }

    /// Verifies the signature and returns its key, counted from 1; `nil` if there is none.
    private func rawKey(_ own: RawSignature, _ path: ArraySlice<UInt8>, _ method: String) throws(Problem) -> Int? {
        guard let permission else { return nil }
        let key = try permission.check(own.signature, path: path, query: own.unsigned, method: method)
        try Self.checkExpiry(own.expires, time.wallSeconds)
        return key
    }

    private func rawRemote(
        _ path: ArraySlice<UInt8>,
        _ query: [UInt8],
        _ method: String
    ) throws(Problem) -> RawTarget {
        guard !path.dropFirst().contains(UInt8(ascii: "/")) else {
            throw Problem(404, "/fetch has no path; use url=.")
        }
        do {
            let parsed = try RequestLanguage.parse(query: query, options: table.remote.options)
            guard parsed.isBare else {
                throw Problem(
                    400,
                    "/fetch serves responses unchanged here (remote.raw): the only parameters are url, url64, enc, sig and exp."
                )
            }
            let (text, name) = try remoteText(parsed)
            let url = try OriginURL(text, of: name)
            let isAllowed = table.allowedHosts.contains { $0.matches(url.hostText) }
            var key: Int?
            if let permission {
                key = try permission.checkRemote(parsed, path: path, method: method, isAllowed: isAllowed)
                try Self.checkExpiry(parsed.expires, time.wallSeconds)
            }
            let ruled = try ruledFetch(url)
            try checkAccess(ruled)
            return RawTarget(origin: try origin(at: url, ruled), signingKey: key, expires: parsed.expires)
        } catch {
            throw Problem(resolving: error)
        }
    }

    private static func checkExpiry(_ expires: Int64?, _ now: Int64) throws(Problem) {
        if let expires, now >= expires { throw ExpiringAnswer.refusal }
    }
}

extension SourceTable {
    /// The first segments of raw sources' paths; none where all paths are in another server's language.
    var rawNames: [String] {
        guard dialect == nil else { return [] }
        return (remote.rule.isRaw ? ["fetch"] : []) + sources.filter(\.value.rule.isRaw).keys.sorted()
    }
}

extension Problem {
    /// A method that a raw source does not accept (RFC 9110 §15.5.6).
    init(methodRefusedBy rule: SourceRule) {
        let methods = rule.allMethods
        let list = methods.dropLast().joined(separator: ", ") + " and " + (methods.last ?? "")
        self.init(405, "This source only accepts \(list).", allow: methods.joined(separator: ", "))
    }
}

extension RequestPermission {
    /// Checks a request of a raw source.
    ///
    /// - Parameter query: the raw query without `sig`.
    /// - Returns: the key that has signed the request, counted from 1; `nil` if it is not signed.
    /// - Throws: 403.
    func check(
        _ signature: String?,
        path: some Collection<UInt8>,
        query: some Collection<UInt8>,
        method: String
    ) throws(Problem) -> Int? {
        guard let signature else {
            guard !isRequired else {
                throw Problem.notSigned
            }
            return nil
        }
        let verdict = signer.verdict(on: signature, path: path, query: query, method: method)
        try Self.refuse(verdict)
        return verdict.key
    }
}
