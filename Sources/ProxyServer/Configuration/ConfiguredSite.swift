import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem

/// A site: a named group of sources with presets, keys, quotas and a token of its own (SDWebImage: `SDWebImageManager` instances).
struct ConfiguredSite: Sendable, Equatable {
    /// The name of the default site, to which the sources at the file's top belong.
    static let standard = "default"

    var name: String
    /// The hosts that it answers for; empty if it has a prefix.
    var hosts: [SiteHost] = []
    /// The beginning of its paths, such as `/shop`, without a slash at the end; `nil` if it has hosts.
    var prefix: String?
    /// The bearer token of its clients and operators; empty for none.
    var token = Secret("")
    var quota = Quota()
    /// The effective settings: those at the file's top, with the site's sources, presets, keys and overrides.
    var settings: Configuration

    /// The parts of the cache that the site has for itself; `nil` where it shares the rest with others.
    struct Quota: Sendable, Equatable {
        /// Bytes of memory.
        var memory: Int?
        /// Bytes of originals on disk.
        var originals: Int?
        /// Bytes of variants on disk.
        var variants: Int?
    }

    /// Whether another site answers for the same requests in the same way, apart from what both have from the file's top.
    func isSame(as other: ConfiguredSite) -> Bool {
        (name, prefix ?? "", hosts) == (other.name, other.prefix ?? "", other.hosts)
            && token == other.token && quota == other.quota && settings.sources == other.settings.sources
            && settings.presets == other.settings.presets && settings.remote == other.settings.remote
            && settings.signing == other.settings.signing && settings.purge == other.settings.purge
            && settings.dialect == other.settings.dialect && settings.dialectSource == other.settings.dialectSource
            && settings.dialects == other.settings.dialects
            && settings.remoteRule == other.settings.remoteRule
    }
}

/// A host that a site answers for: a name, an address, `*.` and a name, or `*` for all others.
struct SiteHost: Sendable, Hashable {
    /// In lower case, without a dot at the end; an IPv6 address in brackets, in its canonical spelling.
    let text: String

    /// Parses a host without a port; `nil` if it is malformed.
    init?(_ text: String) {
        var text = text.lowercased()
        if text.hasSuffix("."), text.count > 1 { text.removeLast() }
        guard HostPattern(text) != nil else { return nil }
        if text.hasPrefix("[") {
            guard let address = Self.canonicalAddress(text) else { return nil }
            text = address
        } else {
            guard !text.contains(":"), !text.contains("[") else { return nil }
            let rest = text.hasPrefix("*.") ? text.dropFirst(2) : text == "*" ? "" : text[...]
            guard !rest.contains("*"), text == "*" || !rest.isEmpty else { return nil }
        }
        self.text = text
    }
}

extension Configuration {
    /// The sources of all sites; their rules have full names.
    var allSources: [ConfiguredSource] { sources + sites.flatMap(\.settings.sources) }

    /// The sources of all sites with a name within their site.
    func sources(named name: String) -> [ConfiguredSource] { allSources.filter { $0.rule.localName == name } }

    /// The presets of all sites.
    var allPresets: [ConfiguredPreset] { presets + sites.flatMap(\.settings.presets) }

    /// The rules of all sites' sources, and of `/fetch` of each.
    var allRules: [SourceRule] {
        allSources.map(\.rule) + [remoteRule] + sites.map(\.settings.remoteRule)
    }

    /// The tokens of operators and sites, none of which may reach an origin.
    var tokens: [Secret] { ([admin.token] + sites.map(\.token)).filter { !$0.isEmpty } }

    /// The names of all sites for operators.
    var siteTitles: Set<String> { Set(sites.map(\.name) + [ConfiguredSite.standard]) }

    /// The site with a name; `nil` for the default site and unknown ones.
    func site(named name: String) -> ConfiguredSite? { sites.first { $0.name == name } }
}

extension SourceRule {
    /// The site's name; empty for the default site.
    var site: String { CacheNamespace.of(source: name) }
    /// The name within the site, as in paths and in the configuration.
    var localName: String { CacheNamespace.name(of: name) }
}

extension LoadedConfiguration {
    /// The settings of one site, with the places of its keys as if these were at the file's top.
    func of(_ site: ConfiguredSite) -> LoadedConfiguration {
        let excluded = ["sources.", "presets.", "remote.", "signing.", "purge.", "dialect"]
        var settings = LoadedConfiguration(configuration: site.settings)
        settings.places = places.filter { key, _ in !excluded.contains { key.hasPrefix($0) } }
        settings.scope = "sites.\(site.name)."
        for (key, place) in places where key.hasPrefix(settings.scope) {
            let name = String(key.dropFirst(settings.scope.count))
            settings.places[name] = place
            settings.own.insert(name)
        }
        return settings
    }
}

extension SiteHost {
    /// An IPv6 address in brackets in its canonical spelling (RFC 5952); `nil` for any other text.
    private static func canonicalAddress(_ text: String) -> String? {
        guard text.hasPrefix("["), text.hasSuffix("]"), let address = IPAddress(String(text.dropFirst().dropLast())),
            case .v6 = address
        else { return nil }
        return "[\(address.text)]"
    }

    /// The host of an authority without port and trailing dot, in lower case; an IPv6 address in its canonical spelling.
    static func name(of authority: String) -> String {
        var name = authority.lowercased()
        if name.hasPrefix("[") {
            if let end = name.firstIndex(of: "]") { name = String(name[...end]) }
            name = canonicalAddress(name) ?? name
        } else if let colon = name.firstIndex(of: ":") {
            name = String(name[..<colon])
        }
        if name.hasSuffix("."), name.count > 1 { name.removeLast() }
        return name
    }
}
