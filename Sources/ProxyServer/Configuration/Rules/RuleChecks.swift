import ImagePipeline
import ImagePlan
import OriginTransfer

/// Reports rules that cannot mean what they say.
struct RuleChecks {
    /// The configuration with its sources and presets.
    let configuration: Configuration

    /// The largest number of different conditions on request fields, over all rules.
    static let maximumFields = 64
    /// The keys that still have an effect once the original has arrived.
    private static let lateKeys = ["ttl", "ttl-min", "ttl-max"]
    /// The fields that may carry credentials.
    private static let credentials = ["authorization", "cookie"]

    /// Checks one rule.
    ///
    /// - Parameter key: the rule's path, such as `rules[0]`.
    func check(_ rule: ConfiguredRule, _ key: String, _ decoder: inout ConfigurationDecoder) {
        let places = decoder.places
        func report(_ name: String, _ message: String) {
            let path = "\(key).\(name)"
            let below = places.filter { $0.key.hasPrefix(path + ".") }.min { $0.key < $1.key }?.value
            decoder.report(message, key: path, place: places[path] ?? below ?? places[key])
        }
        if rule.change.stated.isEmpty, !rule.isLast, !decoder.problems.contains(where: { $0.key.hasPrefix(key) }) {
            decoder.report("sets nothing and is not the last one", key: key, place: places[key])
        }
        checkNames(rule, report)
        checkContradictions(rule, report)
        checkLate(rule, report)
        checkTargets(rule, report)
        checkQuery(rule, report)
        checkPath(rule, report)
        checkCredentials(rule, report)
    }

    /// Checks the number of conditions on request fields, which are evaluated for each request.
    func checkFields(of rules: [ConfiguredRule], _ decoder: inout ConfigurationDecoder, place: Place) {
        let fields = Set(rules.flatMap(\.match.requestFields))
        guard fields.count > Self.maximumFields else { return }
        decoder.report(
            "has \(fields.count) different conditions below match.request-header; the most are \(Self.maximumFields)",
            key: "rules",
            place: place
        )
    }

    private func checkNames(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        let names = configuration.allSources.map(\.rule.localName) + ["fetch"]
        for name in rule.match.sources where !names.contains(name) {
            report("match.source", "there is no source '\(name)'\(NearestName.hint(name, among: names))")
        }
        guard rule.change.states("preset"), let name = rule.change.source.preset else { return }
        guard configuration.allPresets.contains(where: { $0.name == name }) else {
            let hint = NearestName.hint(name, among: configuration.allPresets.map(\.name))
            return report("set.preset", "there is no preset '\(name)'\(hint)")
        }
        let sites = [(ConfiguredSite.standard, configuration)] + configuration.sites.map { ($0.name, $0.settings) }
        for (site, settings) in sites
        where !settings.presets.contains(where: { $0.name == name })
            && settings.sources.contains(where: { !$0.rule.isRaw && applies(rule, to: $0.rule.localName) })
        {
            report("set.preset", "applies to sources of site '\(site)', which has no preset '\(name)'")
        }
    }

    private func checkContradictions(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        if rule.change.allows, rule.change.denies { report("set.allow", "contradicts deny in the same rule") }
        let lifetimes = rule.change.lifetimes
        if let minimum = lifetimes.minimum, let maximum = lifetimes.maximum, minimum > maximum {
            report("set.ttl-min", "is more than ttl-max")
        }
        if let minimum = rule.match.sizeMinimum, let maximum = rule.match.sizeMaximum, minimum > maximum {
            report("match.size.min", "is more than match.size.max")
        }
        let repeated = Dictionary(grouping: rule.change.requestFields, by: \.key).values.first { $0.count > 1 }
        if let field = repeated?.first { report("set.request-headers", "names \(field.name) twice") }
        let twice = Dictionary(grouping: rule.change.responseFields, by: \.key).values.first { $0.count > 1 }
        if let field = twice?.first { report("set.response-headers", "names \(field.name) twice") }
    }

    /// A rule about the original may only set what is decided after it was requested.
    private func checkLate(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        guard rule.match.isLate else { return }
        let isAboutBody = !rule.match.types.isEmpty || rule.match.sizeMinimum != nil || rule.match.sizeMaximum != nil
        let cause =
            !rule.match.types.isEmpty ? "match.type" : isAboutBody ? "match.size" : "match.response-header"
        for name in rule.change.stated where !Self.lateKeys.contains(name) {
            if name == "status", !isAboutBody { continue }
            let allowed = isAboutBody ? "ttl, ttl-min and ttl-max" : "ttl, ttl-min, ttl-max and status"
            report(
                "set.\(name)",
                "is decided before the original is known, which \(cause) needs; such a rule can set \(allowed)"
            )
        }
    }

    /// Reports keys that apply to none of the sources that the rule is for.
    private func checkTargets(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        guard !rule.match.sources.isEmpty else { return }
        let rules = rule.match.sources.flatMap { name in
            name == "fetch" ? [configuration.remoteRule] : configuration.sources(named: name).map(\.rule)
        }
        guard !rules.isEmpty else { return }
        if rules.allSatisfy(\.isRaw) {
            for name in rule.change.stated where SourceReader.pictureKeys.contains(name) {
                report("set.\(name)", "has no effect for a raw source")
            }
            if !rule.match.types.isEmpty || rule.match.sizeMinimum != nil || rule.match.sizeMaximum != nil {
                report("match", "cannot know the type or size of a raw source's responses")
            }
        }
        if rules.allSatisfy(\.isFolder) {
            for name in ["request-headers", "query", "status", "unkeyed-query", "sort-query"]
            where rule.change.states(name) {
                report("set.\(name)", "does not apply to a file:// source")
            }
            if !rule.match.hosts.isEmpty { report("match.host", "never matches a file:// source, which has no host") }
        }
    }

    private func checkQuery(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        let own = rule.change.source.rule
        for (name, patterns) in [("ignore-query", own.ignoreQuery), ("unkeyed-query", own.unkeyedQuery)]
        where rule.change.states(name) {
            for pattern in patterns where RequestLanguage.isReserved(pattern) && rule.match.sources != ["fetch"] {
                report("set.\(name)", "contains a parameter of the request language: \(pattern)")
            }
        }
    }

    private func checkPath(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        guard let template = rule.change.path else { return }
        let available = rule.match.paths.map(\.wildcards).min() ?? 0
        guard template.wildcards > available else { return }
        let has =
            rule.match.paths.isEmpty
            ? "there is no match.path" : "match.path has \(available) wildcard\(available == 1 ? "" : "s")"
        report("set.path", "uses $\(template.wildcards), but \(has)")
    }

    /// Credentials must not reach hosts that clients choose, nor replace those of the source.
    private func checkCredentials(_ rule: ConfiguredRule, _ report: (String, String) -> Void) {
        for field in rule.change.requestFields where field.value != nil {
            if Self.credentials.contains(field.key) {
                let reachesFetch = rule.match.sources.isEmpty || rule.match.sources.contains("fetch")
                let isBound = !rule.match.hosts.isEmpty && rule.match.hosts.allSatisfy { !$0.isEverything }
                if reachesFetch, !isBound {
                    report(
                        "set.request-headers",
                        "would send \(field.name) to every host that a client names in /fetch; add match.source or match.host"
                    )
                }
            }
            for source in configuration.allSources where applies(rule, to: source.rule.localName) {
                if source.rule.credentials?.ownFields.contains(field.key) == true {
                    report("set.request-headers", "sets \(field.name), which auth of source \(source.rule.name) sets")
                }
                if field.key == "cookie", !source.rule.forwardCookies.isEmpty {
                    report(
                        "set.request-headers",
                        "sets Cookie, which forward-cookies of source \(source.rule.name) sets"
                    )
                }
            }
        }
    }

    private func applies(_ rule: ConfiguredRule, to source: String) -> Bool {
        rule.match.sources.isEmpty || rule.match.sources.contains(source)
    }
}
