import HTTPKit
import ImagePipeline
import ImagePlan
import LinuxSystem

/// A site and the resolver of its requests; immutable, replaced by a reload.
final class Site: Sendable {
    /// The name; empty for the default site.
    let name: String
    let resolver: RequestResolver
    /// The beginning of its paths, which the resolver does not see; empty for none.
    let mount: [UInt8]
    /// The token of its own; empty for none.
    let token: Secret
    /// The clients that may purge it without a token.
    let purgers: [AddressRange]
    /// The first segments of raw sources' paths.
    private let rawNames: [[UInt8]]
    /// Counts its requests; `nil` if there is only the default site.
    let requests: Counter<NoLabel>?

    init(
        name: String = "",
        resolver: RequestResolver,
        mount: String? = nil,
        token: Secret = Secret(""),
        purgers: [AddressRange] = [],
        requests: Counter<NoLabel>? = nil
    ) {
        self.name = name
        self.resolver = resolver
        self.mount = Array((mount ?? "").utf8)
        self.token = token
        self.purgers = purgers
        self.requests = requests
        rawNames = resolver.table.rawNames.map { Array($0.utf8) }
    }

    /// The name for operators.
    var title: String { name.isEmpty ? ConfiguredSite.standard : name }

    /// The path and query below the site's prefix.
    func target(of head: borrowing RequestHead) -> Range<Int> { head.pathAndQuery.dropFirst(mount.count) }

    /// Whether a target below the site's prefix is of a raw source; allocates nothing, since every hit asks.
    func isRaw(_ target: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        rawNames.contains { name in
            guard !target.isEmpty, bytes[target.lowerBound] == UInt8(ascii: "/") else { return false }
            var index = target.lowerBound + 1
            for byte in name {
                guard let length = Self.length(of: byte, at: index, before: target.upperBound, in: bytes) else {
                    return false
                }
                index += length
            }
            return index == target.upperBound || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "?")
        }
    }

    /// The length of a name's byte in a target, plain (1) or percent-encoded (3); `nil` if there is another byte.
    @inline(__always)
    private static func length(of byte: UInt8, at index: Int, before end: Int, in bytes: Span<UInt8>) -> Int? {
        guard index < end else { return nil }
        if bytes[index] == byte { return 1 }
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < end, let high = bytes[index + 1].hexadecimalValue,
            let low = bytes[index + 2].hexadecimalValue, high << 4 | low == byte
        else { return nil }
        return 3
    }

    /// Returns a request target without the site's prefix, if it has it.
    func stripped(_ target: String) -> String {
        guard !mount.isEmpty, target.utf8.starts(with: mount + [UInt8(ascii: "/")]) else { return target }
        return String(decoding: target.utf8.dropFirst(mount.count), as: UTF8.self)
    }
}

/// Finds the site of a request: by its host, then by the beginning of its path.
///
/// As in nginx, an exact name wins over `*.NAME`, the longest of these over shorter ones, and all over `*`. The default site answers
/// for all hosts unless some site has hosts, or it has hosts itself.
final class SiteTable: Sendable {
    /// The site of the sources at the file's top.
    let standard: Site
    /// All others.
    let named: [Site]
    private let exact: [String: Site]
    /// Longest suffixes first, each with the dot at its start.
    private let suffixes: [(text: String, site: Site)]
    private let everything: Site?
    private let mounted: [Site]

    /// Creates a table with a single site, which answers all requests.
    init(_ resolver: RequestResolver) {
        standard = Site(resolver: resolver)
        named = []
        exact = [:]
        suffixes = []
        everything = standard
        mounted = []
    }

    /// Creates the table of a validated configuration.
    ///
    /// - Parameters:
    ///   - numbers: the sources' numbers for statistics; `nil` outside the daemon.
    ///   - counter: returns the counter of a site's requests.
    /// - Throws: `RequestError` for an invalid preset, which validation has excluded.
    init(
        _ configuration: Configuration,
        time: any TimeSource,
        numbers: SourceNumbers? = nil,
        counter: (String) -> Counter<NoLabel>? = { _ in nil }
    ) throws(RequestError) {
        let hasSites = !configuration.sites.isEmpty
        let standard = Site(
            resolver: try RequestResolver(configuration, time: time, numbers: numbers),
            purgers: configuration.purge.allow,
            requests: hasSites ? counter(ConfiguredSite.standard) : nil
        )
        var (named, mounted): ([Site], [Site]) = ([], [])
        var hosts = configuration.hosts.map { ($0, standard) }
        for configured in configuration.sites {
            let site = Site(
                name: configured.name,
                resolver: try RequestResolver(
                    configured.settings,
                    time: time,
                    mount: configured.prefix ?? "",
                    numbers: numbers
                ),
                mount: configured.prefix,
                token: configured.token,
                purgers: configured.settings.purge.allow,
                requests: counter(configured.name)
            )
            named.append(site)
            if configured.prefix != nil { mounted.append(site) }
            hosts += configured.hosts.map { ($0, site) }
        }
        var (exact, suffixes): ([String: Site], [(text: String, site: Site)]) = ([:], [])
        var everything = hosts.isEmpty ? standard : nil
        for (host, site) in hosts {
            if host.text == "*" {
                everything = site
            } else if host.text.hasPrefix("*.") {
                suffixes.append((String(host.text.dropFirst()), site))
            } else {
                exact[host.text] = site
            }
        }
        self.standard = standard
        self.named = named
        self.mounted = mounted
        self.exact = exact
        self.suffixes = suffixes.sorted { $0.text.utf8.count > $1.text.utf8.count }
        self.everything = everything
    }

    /// Whether there are sites besides the default one.
    var hasSites: Bool { !named.isEmpty }

    /// The site with a name; `default` and the empty name are the default site.
    func site(named name: String) -> Site? {
        name.isEmpty || name == ConfiguredSite.standard ? standard : named.first { $0.name == name }
    }

    /// The site of a request; `nil` if none answers for its host.
    @inline(__always)
    func site(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> Site? {
        if exact.isEmpty, suffixes.isEmpty, mounted.isEmpty { return everything }
        let host = head.authority.map { String(decoding: bytes.copy($0), as: UTF8.self) }
        let site = site(ofHost: host)
        guard site === standard, !mounted.isEmpty else { return site }
        return self.site(below: head.pathAndQuery, in: bytes)
    }

    /// The site for a host with an optional port, before paths are looked at.
    func site(ofHost host: String?) -> Site? {
        guard let host, !exact.isEmpty || !suffixes.isEmpty else { return everything }
        let name = SiteHost.name(of: host)
        if let site = exact[name] { return site }
        return suffixes.first { name.utf8.count > $0.text.utf8.count && name.hasSuffix($0.text) }?.site ?? everything
    }

    /// The site with a prefix of a path, else the default site.
    func site(below target: Range<Int>, in bytes: Span<UInt8>) -> Site {
        for site in mounted where target.count > site.mount.count {
            let end = target.lowerBound + site.mount.count
            guard bytes[end] == UInt8(ascii: "/") else { continue }
            if site.mount.indices.allSatisfy({ site.mount[$0] == bytes[target.lowerBound + $0] }) { return site }
        }
        return standard
    }

    /// The site that an operator names, else that of a path's prefix, and the target below its prefix.
    ///
    /// - Throws: `Problem` 404 for an unknown name.
    func place(of target: String, named name: String?) throws(Problem) -> (site: Site, target: String) {
        let found: Site
        if let name {
            guard let named = site(named: name) else { throw .unknownSite(name, in: self) }
            found = named
        } else {
            let bytes = Array(target.utf8)
            found = site(below: 0..<bytes.count, in: bytes.span)
        }
        return (found, found.stripped(target))
    }
}

extension Problem {
    /// A host for which no site is configured (RFC 9110 §15.5.20).
    static let noSite = Problem(421, "No site is configured for the host of this request (hosts).")

    /// A site that does not exist, with the nearest name.
    static func unknownSite(_ name: String, in table: SiteTable) -> Problem {
        let names = [ConfiguredSite.standard] + table.named.map(\.name)
        let end = NearestName.sentenceEnd(name, among: names)
        return Problem(404, "There is no site '\(name)'\(end)", parameter: "site")
    }
}

/// The current sites, which a reload replaces; one event loop's copy.
final class LoopSites: Sendable {
    private struct State {
        var generation: UInt64
        var table: SiteTable
    }

    private let cell: ResolverCell
    private let state: Lock<State>

    init(_ cell: ResolverCell) {
        self.cell = cell
        let (table, generation) = cell.current
        state = Lock(State(generation: generation, table: table))
    }

    /// The site of a request; `nil` if none answers for its host.
    func site(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> Site? {
        let table = state.withLock { state in
            if state.generation != cell.generation { (state.table, state.generation) = cell.current }
            return state.table
        }
        return table.site(of: head, in: bytes)
    }
}
