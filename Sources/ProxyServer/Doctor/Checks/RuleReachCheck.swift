/// Warns about rules that no request can reach.
struct RuleReachCheck: DoctorCheck {
    let configuration: Configuration

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let dead = RuleReach(configuration: configuration).dead
        guard !dead.isEmpty else { return configuration.rules.isEmpty ? [] : [.ok("rules", "every rule can apply")] }
        return dead.map { found in
            .warning(
                "rules",
                "\(configuration.rules[found.index].label(found.index)) can never apply: \(found.reason)",
                fix: "remove it, correct its match, or move it before the rule with last: true"
            )
        }
    }
}
