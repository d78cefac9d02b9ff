import HTTPCache
import ImagePipeline
import ImagePlan
import LinuxSystem

/// Decodes the map of sites.
struct SiteReader {
    /// The configuration from which sites inherit, complete except for sources and sites.
    let configuration: Configuration

    /// Decodes all sites except those with a problem, which prevents the start anyway.
    func decode(_ node: TreeNode, _ decoder: inout ConfigurationDecoder) -> [ConfiguredSite] {
        switch node.content {
        case .null: return []
        case .map(let entries): return entries.compactMap { decode($0, &decoder) }
        default:
            decoder.report("expected a map of sites", key: "sites", place: node.place)
            return []
        }
    }

    private func decode(_ entry: TreeEntry, _ decoder: inout ConfigurationDecoder) -> ConfiguredSite? {
        let key = "sites.\(entry.key)"
        let reserved = [ConfiguredSite.standard: "the sources at the file's top"]
        if let problem = SourceReader.problem(ofName: entry.key, of: "site", reserved: reserved) {
            decoder.report(problem, key: key, place: entry.place)
            return nil
        }
        guard case .map(let entries) = entry.value.content else {
            decoder.report("expected a map with hosts or a prefix", key: key, place: entry.value.place)
            return nil
        }
        var site = ConfiguredSite(name: entry.key, settings: settings(of: entry.key))
        decoder.decode(entries, table: SiteSchema.table, into: &site, scope: key + ".")
        if let sources = entries.last(where: { $0.key == "sources" }) {
            let reader = SourceReader(configuration: site.settings, scope: key + ".")
            site.settings.sources = reader.decode(sources.value, &decoder)
        }
        let says = { (name: String) in entries.contains { $0.key == name } }
        if says("hosts"), says("prefix") {
            decoder.report(
                "cannot be combined with hosts",
                key: key + ".prefix",
                place: decoder.places[key + ".prefix"]
            )
        } else if !says("hosts"), !says("prefix") {
            decoder.report("has neither hosts nor a prefix", key: key, place: entry.place)
        }
        ConfigurationChecks.checkSite(site.settings, scope: key + ".", &decoder)
        return site
    }

    /// The settings at the file's top, without what each site has for itself.
    private func settings(of name: String) -> Configuration {
        var settings = configuration
        let empty = Configuration()
        settings.site = name
        settings.hosts = []
        settings.sites = []
        settings.sources = []
        settings.presets = []
        settings.remote = empty.remote
        (settings.dialect, settings.dialectSource, settings.dialects) = (nil, nil, empty.dialects)
        settings.signing = empty.signing
        settings.purge = empty.purge
        return settings
    }
}

extension ConfigurationChecks {
    /// Reports hosts and prefixes that more than one site has, and quotas that exceed the cache's.
    static func checkSites(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        checkHosts(configuration, &decoder)
        checkPrefixes(configuration, &decoder)
        checkQuotas(configuration, &decoder)
        checkTokens(configuration, &decoder)
    }

    private static func checkHosts(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        var owners: [SiteHost: String] = [:]
        let groups = [("hosts", configuration.hosts)] + configuration.sites.map { ("sites.\($0.name).hosts", $0.hosts) }
        for (key, hosts) in groups {
            for host in hosts {
                guard let owner = owners.updateValue(key, forKey: host) else { continue }
                let end = owner == key ? "twice" : "as \(owner) does"
                decoder.report("names \(host.text) \(end)", key: key, place: decoder.places[key])
            }
        }
    }

    private static func checkPrefixes(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let mounted = configuration.sites.filter { $0.prefix != nil && $0.hosts.isEmpty }
        for (index, site) in mounted.enumerated() {
            guard let prefix = site.prefix else { continue }
            let key = "sites.\(site.name).prefix"
            for other in mounted[..<index] {
                guard let taken = other.prefix,
                    "\(prefix)/".hasPrefix("\(taken)/") || "\(taken)/".hasPrefix("\(prefix)/")
                else { continue }
                decoder.report("overlaps \(taken) of site \(other.name)", key: key, place: decoder.places[key])
            }
            let first = prefix.split(separator: "/").first.map(String.init) ?? ""
            if ["fetch", "placeholder"].contains(first) {
                decoder.report("begins with /\(first), which is reserved", key: key, place: decoder.places[key])
            } else if configuration.source(named: first) != nil {
                let message = "begins with the name of the source '\(first)' at the file's top"
                decoder.report(message, key: key, place: decoder.places[key])
            }
            if configuration.hosts.isEmpty, configuration.sites.contains(where: { !$0.hosts.isEmpty }) {
                let message =
                    "requires hosts at the file's top: as other sites have hosts, no request would have this prefix"
                decoder.report(message, key: key, place: decoder.places[key])
            }
        }
    }

    /// Reports quotas that together leave less than 1 MiB of a part of the cache for all without a quota.
    private static func checkQuotas(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        let cache = configuration.cache
        let parts: [(String, Int, (ConfiguredSite.Quota) -> Int?)] = [
            ("memory", configuration.memoryPlan.cache, \.memory), ("originals", cache.originals, \.originals),
            ("variants", cache.variants, \.variants),
        ]
        for (name, whole, quota) in parts {
            let sum = configuration.sites.reduce(0) { min(1 << 60, $0 + (quota($1.quota) ?? 0)) }
            guard sum > 0, sum > whole - 1 << 20, let last = configuration.sites.last(where: { quota($0.quota) != nil })
            else { continue }
            let key = "sites.\(last.name).quota.\(name)"
            func size(_ bytes: Int) -> String { ScaledNumber.text(bytes, units: ScaledNumber.sizes) }
            let message =
                "the quotas of all sites add up to \(size(sum)); cache.\(name) (\(size(whole))) must be at least 1MiB more"
            decoder.report(message, key: key, place: decoder.places[key])
        }
    }

    private static func checkTokens(_ configuration: Configuration, _ decoder: inout ConfigurationDecoder) {
        var owners = [configuration.admin.token.value: "admin.token"]
        for site in configuration.sites where !site.token.isEmpty {
            let key = "sites.\(site.name).token"
            if let owner = owners.updateValue(key, forKey: site.token.value) {
                decoder.report("is the same as \(owner)", key: key, place: decoder.places[key])
            }
        }
    }
}
