import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan

extension Explainer {
    /// The rules with what they matched and set; no section if there are none.
    func rulesSections(_ request: ExplainedRequest) -> [Explanation.Section] {
        let rules = resolver.table.rules
        guard let subject = request.ruled.subject, !rules.isEmpty else { return [] }
        let fired = request.ruled.ruling?.fired ?? []
        let facts = rules.rules.map { rule in fact(of: rule, subject, fired) }
        return [Explanation.Section(name: "rules", facts: facts)]
    }

    /// The place of a rule that has set a key; `nil` if none has.
    func ruleOrigin(of name: String, _ request: ExplainedRequest) -> SettingOrigin? {
        let setter = request.ruled.ruling?.fired.last { $0.condition.isTrivial && $0.configured.change.states(name) }
        return setter.map { origin("rules[\($0.index)].set.\(name)", $0) }
    }

    private func origin(_ key: String, _ rule: RuleSet.Rule) -> SettingOrigin {
        SettingOrigin(key: key, place: loaded.places[key] ?? loaded.places["rules[\(rule.index)]"])
    }

    private func fact(
        of rule: RuleSet.Rule,
        _ subject: RuleSet.Subject,
        _ fired: [RuleSet.Rule]
    ) -> Explanation.Fact {
        let label = rule.configured.label(rule.index)
        let setting = FactOrigin.setting(origin("rules[\(rule.index)]", rule))
        guard fired.contains(where: { $0.index == rule.index }) else {
            let failure = resolver.table.rules.failure(of: rule, subject)
            let end = fired.last.map { $0.configured.label($0.index) } ?? ""
            let words = failure.map { "does not match: match.\($0)" } ?? "not considered: \(end) is the last one"
            var fact = Explanation.Fact(
                label,
                .string(failure == nil ? "after-last" : "no-match"),
                words: words,
                setting
            )
            fact.isDefault = true
            return fact
        }
        let isOpen = !rule.condition.isTrivial
        return Explanation.Fact(
            label,
            .string(isOpen ? "open" : "applies"),
            words: isOpen ? "applies if the original matches, too" : "applies",
            setting,
            details: matched(rule, subject) + changes(of: rule, fired)
        )
    }

    /// The conditions of a matching rule, with the patterns that matched.
    private func matched(_ rule: RuleSet.Rule, _ subject: RuleSet.Subject) -> [Explanation.Fact] {
        let match = rule.configured.match
        var facts: [(String, String)] = []
        if !match.sources.isEmpty { facts.append(("source", subject.source)) }
        if let host = match.hosts.first(where: { $0.matches(subject.host ?? "") }) { facts.append(("host", host.text)) }
        if let path = match.paths.first(where: { $0.matches(subject) }) { facts.append(("path", path.text)) }
        facts += match.requestFields.map { ("request-header", "\($0.name): \($0.value)") }
        if !match.types.isEmpty {
            facts.append(("type", match.types.map { "\($0)" }.joined(separator: ", ")))
        }
        if let minimum = match.sizeMinimum { facts.append(("size.min", "\(minimum)")) }
        if let maximum = match.sizeMaximum { facts.append(("size.max", "\(maximum)")) }
        facts += match.responseFields.map { ("response-header", "\($0.name): \($0.value)") }
        return facts.map { Explanation.Fact("match.\($0)", .string($1)) }
    }

    /// What a rule sets, and the later rule that overrides it.
    private func changes(of rule: RuleSet.Rule, _ fired: [RuleSet.Rule]) -> [Explanation.Fact] {
        let change = rule.configured.change
        return RuleSchema.changes.filter { change.states($0.name) }.compactMap { setting in
            // Any header field may contain credentials, so only names are shown.
            let value =
                setting.name == "request-headers"
                ? JSONValue.array(change.requestFields.map { .string($0.name) })
                : setting.write(change).map(JSONValue.init)
            guard let value else { return nil }
            let isWhole = !["request-headers", "response-headers", "status", "query"].contains(setting.name)
            let opposite = ["allow": "deny", "deny": "allow"][setting.name]
            let later = fired.last { other in
                other.index > rule.index && other.condition.isTrivial
                    && (isWhole && other.configured.change.states(setting.name)
                        || opposite.map(other.configured.change.states) == true)
            }
            let words = later.map { "\(value.words), overridden by \($0.configured.label($0.index))" }
            let place = FactOrigin.setting(origin("rules[\(rule.index)].set.\(setting.name)", rule))
            return Explanation.Fact("set.\(setting.name)", value, words: words, place)
        }
    }
}
