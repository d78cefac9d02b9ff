import ImagePlan

/// Decodes the list of rules.
struct RuleReader {
    /// The configuration with its sources and presets, to which rules refer.
    let configuration: Configuration

    /// The largest number of rules.
    static let maximumCount = 256

    /// Decodes all rules.
    func decode(_ node: TreeNode, _ decoder: inout ConfigurationDecoder) -> [ConfiguredRule] {
        switch node.content {
        case .null: return []
        case .list(let items):
            guard items.count <= Self.maximumCount else {
                decoder.report("has more than \(Self.maximumCount) rules", key: "rules", place: node.place)
                return []
            }
            let rules = items.enumerated().compactMap { decode($1, $0, &decoder) }
            RuleChecks(configuration: configuration).checkFields(of: rules, &decoder, place: node.place)
            return rules
        default:
            decoder.report(
                "expected a list of rules such as { match: { path: \"avatars/**\" }, set: { ttl: 1d } }",
                key: "rules",
                place: node.place
            )
            return []
        }
    }

    private func decode(_ node: TreeNode, _ index: Int, _ decoder: inout ConfigurationDecoder) -> ConfiguredRule? {
        let key = "rules[\(index)]"
        guard case .map(let entries) = node.content else {
            decoder.report("expected a map of match, set and last", key: key, place: node.place)
            return nil
        }
        decoder.note(key, at: entries.first?.place ?? node.place)
        var rule = ConfiguredRule(change: RuleChange(configuration))
        decoder.decode(entries, table: RuleSchema.table, into: &rule, scope: key + ".")
        rule.change.stated = RuleSchema.changes.map(\.name).filter { decoder.places["\(key).set.\($0)"] != nil }
        RuleChecks(configuration: configuration).check(rule, key, &decoder)
        return rule
    }
}
