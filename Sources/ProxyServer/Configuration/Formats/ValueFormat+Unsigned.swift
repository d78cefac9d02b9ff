import ImagePlan

extension ValueFormat where Value == UnsignedUse {
    /// `any`, `none`, or a map of limits.
    static var unsignedUse: ValueFormat {
        let expectation = "any, none, or a map such as { widths: [320, 640], pixels: 4MP }"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                switch node.content {
                case .scalar("any"): return .any
                case .scalar("none"): return UnsignedUse.none
                case .map(let members): return limits(members, node.place, &problems).map { .limited($0) }
                default:
                    problems.expected(expectation, node)
                    return nil
                }
            },
            write: { use in
                switch use {
                case .any: .plain("any")
                case .none: .plain("none")
                case .limited(let limits): .map(yaml(limits))
                }
            },
            schema: .either([.words(["any", "none"]), .object(members, required: [])])
        )
    }

    private static let members: [(name: String, value: ValueSchema)] = [
        ("presets", ValueFormat<UnsignedLimits.Presets>.choice.schema), ("widths", widths.schema),
        ("snap", ValueFormat<UnsignedLimits.Snap>.choice.schema), ("formats", formats.schema),
        ("effort", effort.schema), ("pixels", pixels.schema),
    ]
    private static let names = ["presets", "widths", "snap", "formats", "effort", "pixels"]
    private static let widths = ValueFormat<[Int]>.rungs(of: .count(1...ResizeStep.longestSide))
    private static let formats = ValueFormat<[FormatSetting]>.nonEmptyList(of: .choice)
    private static let effort = ValueFormat<Int>.count(EncodingSettings.efforts)
    private static let pixels = ValueFormat<Int>.pixels(1...10_000_000_000)

    private static func limits(
        _ members: [TreeEntry],
        _ place: Place,
        _ problems: inout ValueProblems
    ) -> UnsignedLimits? {
        var limits = UnsignedLimits()
        let before = problems.all.count
        for member in members {
            problems.note([member.key], at: member.place)
            var inner = ValueProblems()
            read(member, into: &limits, &inner)
            for problem in inner.all { problems.add(problem.message, at: problem.place, path: [member.key]) }
        }
        guard problems.all.count == before else { return nil }
        if members.isEmpty { problems.add("limits nothing; use any or none", at: place) }
        if let snap = members.first(where: { $0.key == "snap" }), limits.widths.isEmpty, limits.presets == .any {
            problems.add("has no effect without widths", at: snap.place, path: ["snap"])
        }
        return problems.all.count == before ? limits : nil
    }

    private static func read(_ member: TreeEntry, into limits: inout UnsignedLimits, _ problems: inout ValueProblems) {
        let value = member.value
        switch member.key {
        case "presets": limits.presets = ValueFormat<UnsignedLimits.Presets>.choice.read(value, &problems) ?? .any
        case "widths": limits.widths = widths.read(value, &problems) ?? []
        case "snap": limits.snap = ValueFormat<UnsignedLimits.Snap>.choice.read(value, &problems)
        case "formats": limits.formats = formats.read(value, &problems) ?? []
        case "effort": limits.effort = effort.read(value, &problems)
        case "pixels": limits.pixels = pixels.read(value, &problems)
        default:
            let hint = NearestName.hint(member.key, among: names)
            problems.add("is not a known key: \(names.joined(separator: ", "))\(hint)", at: member.place)
        }
    }

    private static func yaml(_ limits: UnsignedLimits) -> [(String, YAMLValue)] {
        let values: [(String, YAMLValue?)] = [
            ("presets", limits.presets == .any ? nil : .plain(limits.presets.rawValue)),
            ("widths", limits.widths.isEmpty ? nil : widths.write(limits.widths)),
            ("snap", limits.snap.map { .plain($0.rawValue) }),
            ("formats", formats.write(limits.formats)),
            ("effort", limits.effort.flatMap(effort.write)),
            ("pixels", limits.pixels.flatMap(pixels.write)),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }
}
