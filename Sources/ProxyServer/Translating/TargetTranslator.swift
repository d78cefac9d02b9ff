import Dialects
import ImagePlan

/// Translates the URLs of other servers into targets of Edgeprint's own, without regard to signatures.
struct TargetTranslator {
    private let sites: SiteTable
    /// The only site; `nil` to find it by host and path.
    private let site: Site?
    /// The language of all URLs; `nil` for that of each URL's site or source.
    private let dialect: Dialect?
    /// The source of images without a host, which need not exist; `nil` for the configured one.
    private let base: String?
    private let signs: Bool

    /// - Parameter signs: whether to sign with the first of `signing.keys`.
    init(_ sites: SiteTable, site: Site? = nil, dialect: Dialect? = nil, base: String? = nil, signs: Bool = false) {
        (self.sites, self.site, self.dialect, self.base, self.signs) = (sites, site, dialect, base, signs)
    }

    /// The target that a URL stands for.
    ///
    /// - Parameter url: a full URL, also without its scheme, or path and query.
    /// - Throws: the `Problem` of what cannot be translated; its parameter is the option as the other server spells it.
    func target(of url: [UInt8]) throws(Problem) -> String {
        let (host, target) = Self.parts(url)
        let place = try place(of: target, host)
        var table = place.site.resolver.table
        if let dialect { (table.dialect, table.dialectBase) = (dialect, base ?? table.dialectBase) }
        let resolver = RequestResolver(
            table: table,
            permission: nil,
            signsRaw: false,
            answers: place.site.resolver.answers,
            time: place.site.resolver.time
        )
        let own = try resolver.own(place.target)
        try check(own, table)
        let mount = String(decoding: place.site.mount, as: UTF8.self)
        let text = mount + String(decoding: own.bytes, as: UTF8.self)
        guard signs else { return text }
        guard let signature = place.site.signer?.signature(path: own.path, query: own.query) else {
            throw Problem(403, "The site \(place.site.title) has no key to sign with.", parameter: "signing.keys")
        }
        return "\(text)\(own.query.isEmpty ? "?" : "&")sig=\(signature)"
    }

    /// Whether a site that URLs can be of has a key to sign with.
    var canSign: Bool {
        let all = site.map { [$0] } ?? (dialect == nil ? [sites.standard] + sites.named : [sites.standard])
        return all.contains { $0.signer?.hasKeys == true }
    }

    /// Refuses parameters that the source does not accept; one that is not configured accepts all of the language.
    private func check(_ own: OwnTarget, _ table: SourceTable) throws(Problem) {
        do throws(RequestError) {
            guard let path = try RequestPath.parse(own.path) else {
                throw RequestError(parameter: "path", reason: "has no source")
            }
            var options = path.source == "fetch" ? table.remote.options : table.sources[path.source]?.options
            // --source may name one that is not configured.
            if options == nil, dialect != nil { options = ParseOptions(presets: table.remote.options.presets) }
            options?.enforcesUnsigned = false
            guard let options else {
                throw RequestError(parameter: "path", reason: "names no source: there is none called '\(path.source)'")
            }
            _ = try RequestLanguage.parse(query: own.query, options: options)
        } catch {
            throw Problem(error)
        }
    }

    private func place(of target: [UInt8], _ host: String?) throws(Problem) -> (site: Site, target: [UInt8]) {
        let found: Site
        if let site {
            found = site
        } else if dialect != nil {
            found = sites.standard
        } else {
            guard let hosted = host.map(sites.site(ofHost:)) ?? sites.standard else { throw .noSite }
            found = hosted === sites.standard ? sites.site(below: 0..<target.count, in: target.span) : hosted
        }
        let isBelow = !found.mount.isEmpty && target.starts(with: found.mount + [UInt8(ascii: "/")])
        return (found, isBelow ? Array(target.dropFirst(found.mount.count)) : target)
    }

    /// The host of a full URL, and its path and query.
    private static func parts(_ url: [UInt8]) -> (host: String?, target: [UInt8]) {
        let slash = UInt8(ascii: "/")
        let url = Array(url.prefix { $0 != UInt8(ascii: "#") })
        var start: Int?
        if url.starts(with: [slash, slash]) {
            start = 2
        } else if url.first != slash, let mark = url.firstRange(of: Array("://".utf8)) {
            start = mark.upperBound
        }
        guard let start else { return (nil, url) }
        let end = url[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") } ?? url.endIndex
        let rest = Array(url[end...])
        return (String(decoding: url[start..<end], as: UTF8.self), rest.first == slash ? rest : [slash] + rest)
    }
}

extension Site {
    /// What signs its requests.
    fileprivate var signer: RequestSigner? { resolver.permission?.signer }
}
