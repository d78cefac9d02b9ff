import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

extension RequestResolver {
    /// Resolves a request of `/fetch`.
    func remote(_ own: OwnTarget) throws(Problem) -> ResolvedRequest {
        guard own.foreign == nil || !table.remote.rule.isRaw else {
            throw Problem(400, "Images that no source has cannot be transformed here (remote.raw).")
        }
        var options = table.remote.options
        // The limits for unsigned requests apply to the plan with the preset of a rule.
        if !table.rules.isEmpty { options.enforcesUnsigned = false }
        let parsed = try parse(own, options)
        let (text, name) = try remoteText(parsed)
        guard !DataURL.isOne(text) else { return try data(text, name, parsed, own) }
        let url: OriginURL
        do {
            url = try OriginURL(text, of: name)
        } catch {
            throw Problem(error)
        }
        let isAllowed = table.allowedHosts.contains { $0.matches(url.hostText) }
        let key = try permission?.checkRemote(parsed, path: own.path, own.foreign, isAllowed: isAllowed)
        var ruled = try ruledFetch(url)
        try checkUse(parsed, ruled)
        try checkAccess(ruled)
        ruled.signingKey = key
        do {
            let origin = try origin(at: url, ruled)
            let isEncrypted = if case .encrypted = parsed.url { true } else { own.isEncrypted }
            let segment = isEncrypted ? nil : url.lastSegment
            let ruledQuery = table.rules.isEmpty ? parsed : try parse(own, ruled.entry.options)
            return try request(origin, ruledQuery, ruled, segment: segment)
        } catch {
            throw Problem(resolving: error)
        }
    }

    /// The URL of a `/fetch` request in plain text, and the parameter that it comes from.
    ///
    /// - Throws: 400 if it is missing, is not base64url, or cannot be decrypted.
    func remoteText(_ parsed: ParsedQuery) throws(Problem) -> (text: String, name: String) {
        guard let url = parsed.url else { throw Problem(400, "url is missing.", parameter: "url") }
        switch url {
        case .plain(let text): return (text, url.name)
        case .base64(let text):
            let bytes = try base64(text, url.name)
            return (try Self.text(bytes, url.name), url.name)
        case .encrypted(let text):
            guard !table.urlKeys.isEmpty else {
                throw Problem(400, "enc cannot be decrypted: there is no key (remote.url-keys).", parameter: url.name)
            }
            let bytes = try base64(text, url.name)
            guard let plain = table.urlKeys.lazy.compactMap({ $0.open(bytes) }).first else {
                throw Problem(400, "enc cannot be decrypted with any of remote.url-keys.", parameter: url.name)
            }
            return (try Self.text(plain, url.name), url.name)
        }
    }

    private func base64(_ text: String, _ name: String) throws(Problem) -> [UInt8] {
        guard let bytes = Base64Decoder.decode(text.utf8, .url) else {
            throw Problem(400, "\(name) is not base64url (RFC 4648 §5).", parameter: name)
        }
        return bytes
    }

    /// The decoded bytes as text, under the rules for values of a query.
    private static func text(_ bytes: [UInt8], _ name: String) throws(Problem) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Problem(400, "\(name) does not contain a URL.", parameter: name)
        }
        return text
    }

    /// Resolves a request for the content of a `data:` URL.
    private func data(
        _ text: String,
        _ name: String,
        _ parsed: ParsedQuery,
        _ own: OwnTarget
    ) throws(Problem) -> ResolvedRequest {
        guard table.dataPolicy != .off else {
            throw Problem(403, "data: URLs are not accepted here (remote.data).", parameter: name)
        }
        let key = try permission?.checkRemote(
            parsed,
            path: own.path,
            own.foreign,
            isAllowed: table.dataPolicy == .any,
            refusal: "A data: URL requires a signature (remote.data)."
        )
        try checkUse(parsed, RuledSource(entry: table.remote))
        let data: DataURL
        do throws(DataURL.Defect) {
            data = try DataURL(text)
        } catch {
            throw Problem(400, "\(name) \(error.reason).", parameter: name)
        }
        var ruled = ruledData()
        ruled.signingKey = key
        try checkAccess(ruled)
        let origin = OriginRequest(source: ruled.entry.rule, data: data)
        return try request(origin, table.rules.isEmpty ? parsed : try parse(own, ruled.entry.options), ruled)
    }
}

extension OriginURL {
    /// The last segment of the path, decoded; `nil` if it cannot be decoded.
    fileprivate var lastSegment: String? {
        let path = Array(path.utf8)
        return try? PercentCoding.decode(path[((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...])
    }
}
