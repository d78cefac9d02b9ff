import HTTPSemantics
import ImagePipeline
import ImagePlan
import OriginTransfer

/// The rules of a configuration, compiled for requests.
struct RuleSet: Sendable {
    /// A rule with what is derived from it.
    struct Rule: Sendable {
        let configured: ConfiguredRule
        /// From 0.
        let index: Int
        /// The settings of sources that it replaces.
        let settings: [Setting<RuleChange>]
        /// The conditions on request fields.
        let traits: RequestTraits
        let condition: RuleEffects.Condition
    }

    /// What a request is compared by.
    struct Subject: Sendable {
        var source: String
        /// The host of the original's URL; `nil` for a file.
        var host: String?
        /// Decoded.
        var segments: [String]
        /// As received.
        var rawSegments: [String]
        /// The decoded segments as an origin reads them that decodes `%2F` and `%5C` first or merges slashes; `nil` for the same.
        var folded: [String]?
        var traits: RequestTraits

        /// The segments after splitting at encoded slashes and merging consecutive ones; `nil` if that changes nothing.
        static func folded(_ segments: [String]) -> [String]? {
            guard !segments.isEmpty else { return nil }
            let parts = segments.joined(separator: "/").unicodeScalars
                .split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
                .map { String(String.UnicodeScalarView($0)) }
            let folded = parts.indices.filter { !parts[$0].isEmpty || $0 == parts.count - 1 }.map { parts[$0] }
            return folded == segments ? nil : folded
        }
    }

    let rules: [Rule]
    /// The conditions on request fields; `nil` if no rule has one.
    let matchers: RequestMatchers?
    /// Whether an original may have several keys: settings then belong to the key, because requests for one URL may differ in them.
    let keysSettings: Bool
    /// Whether a key may contain more than the URL, so that purges by URL compare the URL instead.
    let changesKeys: Bool

    /// The set without rules.
    static let none = RuleSet([])

    /// Compiles rules.
    init(_ configured: [ConfiguredRule]) {
        let matchers = RequestMatchers(configured)
        self.matchers = matchers
        rules = configured.enumerated().map { index, rule in
            Rule(
                configured: rule,
                index: index,
                settings: RuleSchema.changes.filter { rule.change.states($0.name) && Self.isOfSource($0.name) },
                traits: matchers?.traits(of: rule.match.requestFields) ?? [],
                condition: rule.match.condition
            )
        }
        keysSettings = configured.contains {
            !$0.match.requestFields.isEmpty || $0.change.path != nil || !$0.change.query.isEmpty
        }
        changesKeys =
            keysSettings
            || configured.contains { !$0.change.requestFields.isEmpty || !$0.change.status.isEmpty }
    }

    var isEmpty: Bool { rules.isEmpty }
    /// Whether any rule compares paths.
    var readsPaths: Bool { rules.contains { !$0.configured.match.paths.isEmpty || $0.configured.change.path != nil } }

    /// Whether a key is one of the settings of sources rather than a rule's own.
    private static func isOfSource(_ name: String) -> Bool { SourceSchema.table[name] != nil }

    /// The rules that match a request, in order, as far as is known before the original is requested.
    ///
    /// A rule about the original is among them; its condition is evaluated later.
    private func matching(_ subject: Subject) -> [Rule] {
        var found: [Rule] = []
        for rule in rules where failure(of: rule, subject) == nil {
            found.append(rule)
            if rule.configured.isLast, rule.condition.isTrivial { break }
        }
        return found
    }

    /// The first condition of a rule that a request does not fulfil, before the original is known; `nil` if it fulfils all.
    func failure(of rule: Rule, _ subject: Subject) -> String? {
        let match = rule.configured.match
        if !match.sources.isEmpty, !match.sources.contains(subject.source) { return "source" }
        if !match.hosts.isEmpty {
            guard let host = subject.host, match.hosts.contains(where: { $0.matches(host) }) else { return "host" }
        }
        if !match.paths.isEmpty, !match.paths.contains(where: { $0.matches(subject) }) { return "path" }
        return subject.traits.isSuperset(of: rule.traits) ? nil : "request-header"
    }

    /// What the rules decide for a request; `nil` if none matches and none could for other fields of the same request.
    func ruling(_ subject: Subject, _ source: ConfiguredSource) -> Ruling? {
        guard !rules.isEmpty else { return nil }
        let vary = varyNames(subject)
        let fired = matching(subject)
        guard !fired.isEmpty || !vary.isEmpty else { return nil }
        var ruling = Ruling(source: source, vary: vary, fired: fired)
        for rule in fired where rule.condition.isTrivial { apply(rule, subject, to: &ruling) }
        ruling.source.rule.effects = effects(fired, ruling, base: source.rule)
        return ruling
    }

    private func apply(_ rule: Rule, _ subject: Subject, to ruling: inout Ruling) {
        let change = rule.configured.change
        var draft = change
        draft.source = SourceSchema.Draft(rule: ruling.source.rule, preset: ruling.source.preset)
        for setting in rule.settings { setting.copy(change, &draft) }
        ruling.source.rule = draft.source.rule
        ruling.source.preset = draft.source.preset
        if let priority = change.priority { ruling.priority = priority.request }
        if let access = change.access { ruling.access = access }
        for edit in change.requestFields { ruling.edit(edit) }
        for edit in change.responseFields {
            ruling.responseFields.removeAll { $0.key == edit.key }
            ruling.responseFields.append(edit)
        }
        if let template = change.path {
            let captures = rule.configured.match.paths.lazy.compactMap { glob in
                glob.captures(subject.segments, raw: subject.rawSegments)
                    ?? subject.folded.flatMap { glob.captures($0, raw: $0.map(PathGlob.encoded)) }
            }
            ruling.path = template.path(captures.first ?? [])
        }
        for edit in change.query {
            ruling.query.removeAll { $0.name == edit.name }
            ruling.query.append(edit)
        }
    }

    /// The effects of rules on the original and its responses; `nil` for none.
    private func effects(_ fired: [Rule], _ ruling: Ruling, base: SourceRule) -> RuleEffects? {
        var effects = RuleEffects()
        effects.base = RuleEffects.Lifetimes(ttl: base.ttl, minimum: base.ttlMinimum, maximum: base.ttlMaximum)
        effects.steps = fired.map { rule in
            RuleEffects.Step(
                condition: rule.condition,
                lifetimes: rule.configured.change.lifetimes,
                status: Dictionary(
                    rule.configured.change.status.map { ($0.origin, $0.treated) },
                    uniquingKeysWith: { $1 }
                ),
                isLast: rule.configured.isLast
            )
        }
        .filter { $0.lifetimes != RuleEffects.Lifetimes() || !$0.status.isEmpty || $0.isLast }
        // Without late conditions and statuses, the source's own settings say the same.
        if !effects.steps.contains(where: { !$0.condition.isTrivial || !$0.status.isEmpty }) { effects.steps = [] }
        effects.withheld = ruling.requestFields.filter { $0.value == nil }.map(\.key)
        effects.responseFields = ruling.responseFields
        effects.keyText = keyText(ruling, fired)
        effects.vary = ruling.vary
        effects.priority = ruling.priority
        guard effects != RuleEffects() else { return nil }
        return effects
    }

    /// What the original depends on besides its URL.
    ///
    /// The origin's response depends on the fields that it receives. Settings such as lifetimes belong to the key only if requests
    /// for the same URL can differ in them, so that changing one in the configuration does not lose the stored originals.
    private func keyText(_ ruling: Ruling, _ fired: [Rule]) -> String {
        var lines = ruling.requestFields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value ?? "null")" }
        for rule in fired where !rule.configured.change.status.isEmpty {
            let statuses = rule.configured.change.status.sorted { $0.origin < $1.origin }
            lines.append("status \(conditionText(rule)) \(statuses.map { "\($0.origin) \($0.treated)" })")
        }
        guard keysSettings else { return lines.joined(separator: "\n") }
        for setting in RuleSchema.changes where Self.isOfSource(setting.name) && setting.name != "preset" {
            let setters = fired.filter { $0.configured.change.states(setting.name) }
            let late = setters.filter { !$0.condition.isTrivial }
            if let last = setters.last(where: { $0.condition.isTrivial }) {
                lines.append("\(setting.name) \(valueText(setting, last))")
            }
            for rule in late { lines.append("\(conditionText(rule)) \(setting.name) \(valueText(setting, rule))") }
        }
        return lines.joined(separator: "\n")
    }

    private func valueText(_ setting: Setting<RuleChange>, _ rule: Rule) -> String {
        setting.write(rule.configured.change).map { YAMLValue.map([("v", $0)]).document } ?? ""
    }

    private func conditionText(_ rule: Rule) -> String {
        let types = rule.condition.types.map(\.rawValue).sorted()
        let fields = rule.condition.fields.map { "\($0.name)=\($0.value)" }.sorted()
        return "\(types) \(rule.condition.size.map { "\($0)" } ?? "-") \(fields) \(rule.configured.isLast)"
    }

    /// The request fields that decide about a request, besides `Host`, which is part of its URL; in lower case, sorted.
    private func varyNames(_ subject: Subject) -> [String] {
        guard matchers != nil else { return [] }
        var all = subject
        all.traits = RequestTraits(rawValue: .max)
        let names = rules.filter { failure(of: $0, all) == nil }.flatMap(\.configured.match.requestFields).map(\.name)
        return Set(names).subtracting(["host"]).sorted()
    }
}

/// What the rules decide for one request.
struct Ruling: Sendable {
    /// The source with the settings that apply.
    var source: ConfiguredSource
    /// The names of request fields that responses depend on.
    var vary: [String]
    /// The rules that matched, including those whose conditions on the original are still open.
    var fired: [RuleSet.Rule]
    /// The place in the queues; `nil` for the client's choice.
    var priority: RequestPriority?
    /// `nil` if no rule decides.
    var access: RuleAccess?
    /// Fields of requests to the origin that rules set or remove.
    var requestFields: [FieldEdit] = []
    /// Fields of responses to clients that rules set or remove.
    var responseFields: [FieldEdit] = []
    /// The rewritten path, raw; `nil` for the request's.
    var path: String?
    /// Edits of the query for the origin.
    var query: [QueryEdit] = []

    init(source: ConfiguredSource, vary: [String], fired: [RuleSet.Rule]) {
        self.source = source
        self.vary = vary
        self.fired = fired
    }

    /// Sets or removes a field of requests to the origin.
    fileprivate mutating func edit(_ edit: FieldEdit) {
        requestFields.removeAll { $0.key == edit.key }
        requestFields.append(edit)
        source.rule.headers.removeAll { $0.name.lowercased() == edit.key }
        if let value = edit.value { source.rule.headers.append(HeaderField(name: edit.name, value: value)) }
    }

    /// The queries for the origin after the edits.
    func edited(_ query: QueryFilter.Outcome) -> QueryFilter.Outcome {
        guard !self.query.isEmpty else { return query }
        return QueryFilter.Outcome(sent: edited(query.sent), keyed: edited(query.keyed))
    }

    /// A raw query after the edits.
    func edited(_ text: String) -> String {
        guard !query.isEmpty else { return text }
        var pairs = text.split(separator: "&").map(String.init).filter { raw in
            let name = QueryFilter.name(of: raw)
            return !query.contains { $0.name == name }
        }
        for edit in query {
            guard let value = edit.value else { continue }
            pairs.append("\(PercentCoding.encodedValue(edit.name))=\(PercentCoding.encodedValue(value))")
        }
        return pairs.joined(separator: "&")
    }
}

extension PathGlob {
    /// Whether the path of a request matches in any reading of its slashes.
    func matches(_ subject: RuleSet.Subject) -> Bool {
        matches(subject.segments) || subject.folded.map { matches($0) } == true
    }
}
