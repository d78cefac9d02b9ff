import HTTPCache
import OriginTransfer
import ImagePlan
import ImagePipeline

/// Decodes the map of sources.
struct SourceReader {
    /// The configuration from which sources inherit, complete except for the sources.
    let configuration: Configuration
    /// The path of the map that has `sources`, with a dot at the end; empty for the file's top.
    var scope = ""

    /// Decodes all sources except those with a problem, which prevents the start anyway.
    func decode(_ node: TreeNode, _ decoder: inout ConfigurationDecoder) -> [ConfiguredSource] {
        switch node.content {
        case .null: return []
        case .map(let entries): return DialectChecks.placed(entries.compactMap { decode($0, &decoder) })
        default:
            decoder.report("expected a map of sources", key: scope + "sources", place: node.place)
            return []
        }
    }

    private func decode(_ entry: TreeEntry, _ decoder: inout ConfigurationDecoder) -> ConfiguredSource? {
        let key = "\(scope)sources.\(entry.key)"
        if let problem = SourceReader.problem(ofName: entry.key, of: "source", reserved: SourceReader.reserved) {
            decoder.report(problem, key: key, place: entry.place)
        }
        guard case .map(let entries) = entry.value.content else {
            decoder.report("expected a map with a url", key: key, place: entry.value.place)
            return nil
        }
        let name = CacheNamespace.source(entry.key, in: configuration.site)
        var draft = SourceSchema.Draft(rule: SourceRule(inheriting: configuration, named: name))
        decoder.decode(entries, table: SourceSchema.table, into: &draft, scope: key + ".")
        let says = { (name: String) in entries.contains { $0.key == name } }
        guard let location = draft.completeLocation ?? (says("url") ? nil : draft.reading.borrowedLocation) else {
            if !says("url") { decoder.report("has no url", key: key, place: entry.place) }
            return nil
        }
        if draft.reading.dialectSource != nil {
            for other in entries where !["dialect", "dialect-source"].contains(other.key) {
                let message = "has no effect with dialect-source, whose settings apply"
                decoder.report(message, key: "\(key).\(other.key)", place: other.place)
            }
        }
        draft.rule.location = location
        draft.rule.mirrors = draft.completeMirrors
        draft.rule.credentials = draft.credentials
        draft.rule.decryption = decryption(draft, key: key, place: entry.place, &decoder)
        check(draft, key: key, place: entry.place, &decoder)
        return ConfiguredSource(
            rule: draft.rule,
            preset: draft.preset,
            fallback: draft.fallback,
            reading: draft.reading
        )
    }

    private func check(_ draft: SourceSchema.Draft, key: String, place: Place, _ decoder: inout ConfigurationDecoder) {
        let rule = draft.rule
        let places = decoder.places
        func line(of name: String) -> Place { places["\(key).\(name)"] ?? place }
        if rule.ttlMinimum > rule.ttlMaximum {
            decoder.report("is more than ttl-max", key: "\(key).ttl-min", place: line(of: "ttl-min"))
        }
        QueryListChecks.check(rule) { name, message in
            decoder.report(message, key: "\(key).\(name)", place: line(of: name))
        }
        if !rule.forwardCookies.isEmpty, rule.headers.contains(where: { $0.name.lowercased() == "cookie" }) {
            let message = "cannot be combined with a Cookie in headers"
            decoder.report(message, key: "\(key).forward-cookies", place: line(of: "forward-cookies"))
        }
        SourceReader.checkCredentials(draft, isSaid: { places["\(key).\($0)"] != nil }) { name, message in
            let below = places.filter { $0.key.hasPrefix("\(key).\(name).") }.min { $0.key < $1.key }?.value
            decoder.report(message, key: "\(key).\(name)", place: places["\(key).\(name)"] ?? below ?? place)
        }
        SourceReader.checkMirrors(draft) { message in
            decoder.report(message, key: "\(key).mirrors", place: line(of: "mirrors"))
        }
        SourceReader.checkRoute(draft, isSaid: { places["\(key).\($0)"] != nil }) { name, message in
            decoder.report(message, key: "\(key).\(name)", place: line(of: name))
        }
        if rule.connections > configuration.transfers.perHost, places["\(key).connections"] != nil {
            let message = "is more than transfers.per-host (\(configuration.transfers.perHost)), which applies first"
            decoder.report(message, key: "\(key).connections", place: line(of: "connections"))
        }
        if rule.isRaw {
            SourceReader.checkRaw(draft, isSaid: { places["\(key).\($0)"] != nil }) { name, message in
                decoder.report(message, key: "\(key).\(name)", place: line(of: name))
            }
        }
        if !rule.isRaw {
            for (name, isSet) in [("methods", !rule.methods.isEmpty), ("set-cookie", rule.setCookie != .refuse)]
            where isSet {
                decoder.report("only applies to raw sources (raw: true)", key: "\(key).\(name)", place: line(of: name))
            }
        }
        let passing = [
            ("no-transform", "obey", rule.noTransform == .obey), ("unsupported", "pass", rule.unsupported == .pass),
        ]
        for (name, value, isSet) in passing where isSet && rule.originals != .serve {
            let message =
                "\(value) serves unchanged originals, which originals: \(rule.originals.rawValue) does not allow"
            decoder.report(message, key: "\(key).\(name)", place: line(of: name))
        }
        if case .file = rule.location {
            let unused = [
                ("no-transform", rule.noTransform == .obey),
                ("continue", rule.continues != .standard),
                ("headers", !rule.headers.isEmpty), ("allow-private", rule.allowPrivate),
                ("forward-query", !rule.forwardQuery.isEmpty), ("forward-cookies", !rule.forwardCookies.isEmpty),
                ("auth", draft.credentials != nil), ("unkeyed-query", !rule.unkeyedQuery.isEmpty),
                ("sort-query", rule.sortsQuery), ("serialize", rule.serialization != .none),
            ]
            for (name, isSet) in unused where isSet {
                decoder.report("does not apply to a file:// source", key: "\(key).\(name)", place: line(of: name))
            }
        }
    }

    static let reserved = ["fetch": "/fetch?url=", "placeholder": "plain images"]

    /// The problem of an invalid name of a source or site (valid: `[a-z0-9][a-z0-9-]*`), or `nil`.
    ///
    /// - Parameter reserved: names that must not be used, with what they are reserved for.
    static func problem(ofName name: String, of kind: String, reserved: [String: String]) -> String? {
        if let use = reserved[name] { return "is reserved for \(use)" }
        let isSound = name.utf8.allSatisfy {
            (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isSound, !name.isEmpty, !name.hasPrefix("-"), name.utf8.count <= 64 else {
            return "is not a valid \(kind) name: a-z, 0-9 and '-', at most 64 characters, and '-' not first"
        }
        return nil
    }
}
