import ImagePlan
import LinuxSystem

/// The site of a request to explain: the named one, or that of its host or prefix.
struct ExplainedSite: Sendable {
    /// The settings of the site.
    let loaded: LoadedConfiguration
    /// The beginning of the site's paths; empty for none.
    let mount: String
    /// The request's path and query below it, or the full URL as given.
    let target: String

    /// Finds the site.
    ///
    /// - Parameters:
    ///   - target: path and query as sent, or a full URL, whose host counts.
    ///   - name: the site's name, or `nil`.
    /// - Throws: `Problem` 404 for an unknown name, 421 for a host without a site.
    init(_ target: String, named name: String?, in loaded: LoadedConfiguration) throws(Problem) {
        let sites: SiteTable
        do throws(RequestError) {
            sites = try SiteTable(loaded.configuration, time: SystemTime())
        } catch {
            throw Problem(error)
        }
        let (host, path) = Self.parts(target)
        var site: Site
        if let name {
            guard let named = sites.site(named: name) else { throw .unknownSite(name, in: sites) }
            site = named
        } else if let host {
            guard let found = sites.site(ofHost: host) else { throw .noSite }
            site = found
        } else {
            site = sites.standard
        }
        if name == nil, site === sites.standard {
            let bytes = Array(path.utf8)
            site = sites.site(below: 0..<bytes.count, in: bytes.span)
        }
        mount = String(decoding: site.mount, as: UTF8.self)
        self.target = site.mount.isEmpty ? target : site.stripped(path)
        self.loaded = loaded.configuration.site(named: site.name).map { loaded.of($0) } ?? loaded
    }

    /// An explainer of the site's requests.
    func explainer(_ time: any TimeSource) throws(Problem) -> Explainer {
        do throws(RequestError) {
            return try Explainer(loaded, mount: mount, time: time)
        } catch {
            throw Problem(error)
        }
    }

    /// The host of a full URL, and the path and query.
    private static func parts(_ target: String) -> (host: String?, path: String) {
        guard !target.hasPrefix("/"), let mark = target.firstRange(of: "://") else { return (nil, target) }
        let rest = target[mark.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        return (String(rest[..<end]), end == rest.endIndex ? "/" : String(rest[end...]))
    }
}
