import HTTPCache
import ImagePipeline

extension ValueFormat where Value == [ConfiguredPreset] {
    /// Presets, in order.
    static var presets: ValueFormat {
        ValueFormat(
            expectation: "a map of presets",
            read: { node, problems in
                if node.content == .null { return [] }
                guard case .map(let entries) = node.content else {
                    problems.expected("a map of presets", node)
                    return nil
                }
                var presets: [ConfiguredPreset] = []
                for entry in entries {
                    problems.note([entry.key], at: entry.place)
                    var inner = ValueProblems()
                    if let preset = preset(entry, &inner) { presets.append(preset) }
                    for problem in inner.all {
                        problems.add(problem.message, at: problem.place, path: [entry.key] + problem.path)
                    }
                }
                return presets.count == entries.count ? presets : nil
            },
            write: { presets in .map(presets.map { ($0.name, yaml($0)) }) },
            schema: .either([.map(of: .either([.scalar, .object(members, required: ["query"])])), .null])
        )
    }

    private static let members: [(name: String, value: ValueSchema)] = [
        ("query", text.schema), ("cache", ValueFormat<CacheTiers>.choice.schema),
    ]
    private static let text = ValueFormat<String>.text("a query such as \"w=400&fit=cover\"")

    /// A text, or a map of `query` and `cache`.
    private static func preset(_ entry: TreeEntry, _ problems: inout ValueProblems) -> ConfiguredPreset? {
        guard case .map(let members) = entry.value.content else {
            return text.read(entry.value, &problems).map { ConfiguredPreset(name: entry.key, text: $0) }
        }
        var preset = ConfiguredPreset(name: entry.key, text: "")
        guard members.contains(where: { $0.key == "query" }) else {
            problems.add("has no query", at: entry.place)
            return nil
        }
        for member in members {
            var inner = ValueProblems()
            switch member.key {
            case "query": preset.text = text.read(member.value, &inner) ?? ""
            case "cache": preset.cache = ValueFormat<CacheTiers>.choice.read(member.value, &inner)
            default: inner.add("is not a known key of a preset: query, cache", at: member.place)
            }
            for problem in inner.all { problems.add(problem.message, at: problem.place, path: [member.key]) }
        }
        return problems.all.isEmpty ? preset : nil
    }

    private static func yaml(_ preset: ConfiguredPreset) -> YAMLValue {
        guard let cache = preset.cache else { return .quoted(preset.text) }
        return .map([("query", .quoted(preset.text)), ("cache", .plain(cache.rawValue))])
    }
}

extension ValueFormat where Value == CachePolicy {
    /// Tiers for everything, or a map of `variants` and `originals`.
    static var cachePolicy: ValueFormat {
        let tiers = ValueFormat<CacheTiers>.choice
        return ValueFormat(
            expectation: tiers.expectation,
            read: { node, problems in
                guard case .map(let members) = node.content else {
                    return tiers.read(node, &problems).map { CachePolicy($0) }
                }
                var policy = CachePolicy(.all)
                var isSound = true
                for member in members {
                    problems.note([member.key], at: member.place)
                    var inner = ValueProblems()
                    switch member.key {
                    case "variants": policy.variants = tiers.read(member.value, &inner) ?? .all
                    case "originals": policy.originals = tiers.read(member.value, &inner) ?? .all
                    default: inner.add("is not a known key: variants, originals", at: member.place)
                    }
                    for problem in inner.all { problems.add(problem.message, at: problem.place, path: [member.key]) }
                    isSound = isSound && inner.all.isEmpty
                }
                return isSound ? policy : nil
            },
            write: { policy in
                guard policy.variants != policy.originals else { return tiers.write(policy.variants) }
                return .map([
                    ("variants", .plain(policy.variants.rawValue)), ("originals", .plain(policy.originals.rawValue)),
                ])
            },
            schema: .either([
                tiers.schema,
                .object([("variants", tiers.schema), ("originals", tiers.schema)], required: []),
            ])
        )
    }
}
