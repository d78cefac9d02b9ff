import HTTPSemantics
import ImagePipeline
import ImagePlan

/// A parsed `POST /warm` request: URLs, presets and formats, of which each combination is a target.
struct WarmOrder: Hashable, Sendable {
    /// Paths of the public listener, or absolute URLs.
    var urls: [String] = []
    /// Names of presets; empty for the URLs as they are.
    var presets: [String] = []
    /// Values of `format`; empty for the URLs as they are.
    var formats: [String] = []
    /// The site of the URLs; `nil` for that of a path's prefix, else the sources at the file's top.
    var site: String?

    private static let names = ["urls", "presets", "formats", "site"]

    /// The number of targets; `Int.max` on overflow.
    var count: Int {
        [urls.count, max(1, presets.count), max(1, formats.count)].reduce(1) { product, factor in
            let (value, overflow) = product.multipliedReportingOverflow(by: factor)
            return overflow ? Int.max : value
        }
    }

    /// Creates an order.
    init(urls: [String], presets: [String] = [], formats: [String] = [], site: String? = nil) {
        (self.urls, self.presets, self.formats, self.site) = (urls, presets, formats, site)
    }

    /// Reads a JSON object such as `{"urls":["/photos/a.jpg"],"presets":["thumb"]}` (RFC 8259).
    ///
    /// - Throws: `Problem` 400 that names the invalid member.
    init(json: [UInt8]) throws(Problem) {
        let members = try PurgeValue.members(of: json, example: "{\"urls\":[\"/photos/a.jpg\"]}")
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "urls": urls = try Self.list(value, name)
            case "presets": presets = try Self.list(value, name)
            case "formats": formats = try Self.list(value, name)
            case "site": site = try value.text(name)
            default:
                let hint = NearestName.of(name, among: Self.names).map { " Did you mean \($0)?" } ?? ""
                throw Problem(
                    400,
                    "The members of a warm job are urls, presets, formats and site.\(hint)",
                    parameter: name
                )
            }
        }
        guard !urls.isEmpty else { throw Problem(400, "A warm job needs at least one URL.", parameter: "urls") }
    }

    private static func list(_ value: PurgeValue, _ name: String) throws(Problem) -> [String] {
        guard case .texts(let texts) = value, !texts.contains("") else {
            throw Problem(400, "\(name) must be a list of non-empty strings.", parameter: name)
        }
        return texts
    }

    /// The equivalent JSON object.
    var json: JSONValue {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        var members: [JSONValue.Member] = [.init("urls", list(urls))]
        if !presets.isEmpty { members.append(.init("presets", list(presets))) }
        if !formats.isEmpty { members.append(.init("formats", list(formats))) }
        if let site { members.append(.init("site", .string(site))) }
        return .object(members)
    }
}

extension WarmOrder {
    /// The longest URL, in bytes: that of the request line.
    private static let longest = 8 * 1024

    /// Resolves the order to request targets of the public listener, under the current configuration.
    ///
    /// - Parameter limit: the maximum number of targets.
    /// - Throws: `Problem` 400 for an unknown preset or format, or text that is not a URL; 404 for an unknown site; 413 for too many
    ///   targets.
    func targets(at sites: SiteTable, limit: Int) throws(Problem) -> [String] {
        guard count <= limit else {
            throw Problem(413, "The job has more than \(limit) targets (warm.targets).", parameter: "urls")
        }
        try checkFormats()
        var places: [String: WarmPlaces] = [:]
        var targets: [String] = []
        targets.reserveCapacity(count)
        for (number, url) in urls.enumerated() {
            guard url.utf8.count <= Self.longest else {
                throw Problem(400, "urls[\(number)] is longer than \(Self.longest) bytes.", parameter: "urls")
            }
            let (site, text) = try sites.place(of: url, named: site)
            if places[site.name] == nil {
                try checkPresets(site.resolver.table)
                places[site.name] = WarmPlaces(site.resolver.table)
            }
            guard let base = places[site.name]?.target(of: text) else {
                let shown = String(url.prefix(200))
                throw Problem(
                    400,
                    "urls[\(number)], '\(shown)', is neither a path such as /photos/cat.jpg nor an http or https URL.",
                    parameter: "urls"
                )
            }
            for preset in presets.isEmpty ? [nil] : presets.map(Optional.some) {
                for format in formats.isEmpty ? [nil] : formats.map(Optional.some) {
                    targets.append(WarmTarget(site: site, target: Self.join(base, preset, format)).text)
                }
            }
        }
        return targets
    }

    private static func join(_ base: String, _ preset: String?, _ format: String?) -> String {
        var target = base
        for pair in [preset.map { "preset=\($0)" }, format.map { "format=\($0)" }].compactMap(\.self) {
            target += (target.contains("?") ? "&" : "?") + pair
        }
        return target
    }

    private func checkPresets(_ table: SourceTable) throws(Problem) {
        let known = table.remote.options.presets.keys.sorted()
        for name in presets where name != "none" && !known.contains(name) {
            let hint = NearestName.hint(name, among: known)
            throw Problem(400, "There is no preset '\(name.prefix(64))'\(hint)", parameter: "presets")
        }
    }

    private func checkFormats() throws(Problem) {
        for name in formats {
            do {
                _ = try RequestLanguage.parse(query: "format=\(name)", options: ParseOptions())
            } catch {
                throw Problem(400, error.description, parameter: "formats")
            }
        }
    }
}

/// Maps URLs to request targets: paths as they are, absolute URLs by the source that they belong to, or through `/fetch`.
struct WarmPlaces {
    private let prefixes: [(name: String, prefix: String)]

    init(_ table: SourceTable) {
        prefixes = table.sources.compactMap { name, entry in
            guard let prefix = entry.rule.location.urlPrefix, let start = try? OriginURL(prefix) else { return nil }
            return (name, start.normalized)
        }
        // The most specific source first.
        .sorted { ($0.prefix.utf8.count, $1.name) > ($1.prefix.utf8.count, $0.name) }
    }

    /// The target for a path or an http URL; `nil` for any other text.
    func target(of text: String) -> String? {
        let plain = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard plain else { return nil }
        if text.hasPrefix("/") { return text.hasPrefix("//") ? nil : String(text.prefix { $0 != "#" }) }
        guard let url = try? OriginURL(String(text.prefix { $0 != "#" })) else { return nil }
        for (name, prefix) in prefixes where url.normalized.hasPrefix(prefix) {
            return "/\(name)/\(url.normalized.dropFirst(prefix.count))"
        }
        return "/fetch?url=\(PercentEncoding.encode(url.normalized.utf8, except: PercentEncoding.isUnreserved))"
    }
}

/// A target in the list of a job, as text: a path of the public listener, after the name of a site that is selected by its hosts.
struct WarmTarget: Hashable, Sendable {
    let text: String

    /// Creates a target from its text.
    init(_ text: String) { self.text = text }

    /// Creates the target of a site, below the site's prefix.
    init(site: Site, target: String) {
        let isNamed = !site.name.isEmpty && site.mount.isEmpty
        text = isNamed ? "\(site.name) \(target)" : String(decoding: site.mount, as: UTF8.self) + target
    }

    /// The site, and the target below its prefix.
    ///
    /// - Throws: `Problem` 404 for a site that is no longer configured.
    func place(in sites: SiteTable) throws(Problem) -> (site: Site, target: String) {
        guard !text.hasPrefix("/"), let end = text.firstIndex(of: " ") else {
            return try sites.place(of: text, named: nil)
        }
        return try sites.place(of: String(text[text.index(after: end)...]), named: String(text[..<end]))
    }
}
