import HTTPSemantics
import ImagePipeline
import ImagePlan

/// Finds rules that no request can reach.
struct RuleReach {
    /// A rule that never applies.
    struct Dead: Sendable, Hashable {
        /// Its number, from 0.
        var index: Int
        /// Why.
        var reason: String
    }

    let configuration: Configuration

    /// All rules that never apply, in order.
    var dead: [Dead] {
        let rules = configuration.rules
        return rules.indices.compactMap { index in
            if let earlier = rules[..<index].firstIndex(where: { $0.isLast && $0.match.covers(rules[index].match) }) {
                let reason = "\(rules[earlier].label(earlier)) matches the same or more requests and is the last one"
                return Dead(index: index, reason: reason)
            }
            return foreignHost(rules[index]).map { Dead(index: index, reason: $0) }
        }
    }

    /// Why no source of a rule has a host that it matches; `nil` if one may.
    private func foreignHost(_ rule: ConfiguredRule) -> String? {
        guard !rule.match.hosts.isEmpty, !rule.match.sources.isEmpty, !rule.match.sources.contains("fetch") else {
            return nil
        }
        let hosts = rule.match.sources.flatMap { name in
            configuration.sources(named: name).compactMap { source in
                source.rule.location.urlPrefix.flatMap { try? OriginURL($0).hostText }
            }
        }
        let isReached = hosts.contains { host in rule.match.hosts.contains { $0.matches(host) } }
        guard !isReached else { return nil }
        return "match.host names none of the hosts of its sources (\(hosts.joined(separator: ", ")))"
    }
}

extension RuleMatch {
    /// Whether every request that another match selects is selected by this one; may be `false` for some that are.
    func covers(_ other: RuleMatch) -> Bool {
        func contains<Element: Equatable>(_ own: [Element], _ others: [Element]) -> Bool {
            own.isEmpty || !others.isEmpty && others.allSatisfy(own.contains)
        }
        guard contains(sources, other.sources), contains(types, other.types),
            paths.isEmpty
                || !other.paths.isEmpty && other.paths.allSatisfy({ path in paths.contains { $0.covers(path) } }),
            hosts.isEmpty
                || !other.hosts.isEmpty && other.hosts.allSatisfy({ host in hosts.contains { $0.covers(host) } })
        else { return false }
        let range = condition.size
        let inner = other.condition.size
        if let range {
            guard let inner, range.contains(inner.lowerBound), range.contains(inner.upperBound) else { return false }
        }
        return Self.covers(requestFields, other.requestFields) && Self.covers(responseFields, other.responseFields)
    }

    private static func covers(_ own: [RuleEffects.Field], _ others: [RuleEffects.Field]) -> Bool {
        own.allSatisfy { field in
            others.contains { $0.name == field.name && field.value.covers($0.value) }
        }
    }
}
