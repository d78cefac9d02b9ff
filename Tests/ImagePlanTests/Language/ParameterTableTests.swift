import Testing

@testable import ImagePlan

/// The forms of parameters, against the parsers.
@Suite(.timeLimit(.minutes(1)))
struct ParameterTableTests {
    private static let steps = ParameterTable.steps.flatMap(\.parameters)

    /// What parameters require besides themselves.
    private static let companions = [
        "fit": "w=40&h=30", "enlarge": "w=40", "linear": "w=40", "dpr": "w=40", "gravity": "w=40&h=30&fit=cover",
        "expand": "rotate=45",
        "pixel": "format=json", "speed": "format=webp", "loop": "format=webp", "reverse": "format=webp",
        "frames": "format=webp", "lossless": "format=webp",
    ]

    private static func parse(_ name: String, _ value: String) throws -> Plan {
        let pair = "\(name)=\(PercentCoding.encodedValue(value))"
        let query = companions[name].map { "\($0)&\(pair)" } ?? pair
        return try RequestLanguage.parse(query: query, options: ParseOptions()).plan
    }

    private static func accepts(_ name: String, _ value: String) -> Bool { (try? parse(name, value)) != nil }

    @Test func `has every parameter of plans once`() {
        let all = Self.steps + ParameterTable.attributes + ParameterTable.settings
        let names = all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(ParameterRole.names.filter { ParameterRole(of: $0)?.isPartOfPlan == true }))
        for type in StepRegistry.types { #expect(type.forms.map(\.name) == type.names) }
        for step in ParameterTable.steps {
            for attribute in step.attributes { #expect(ParameterTable[attribute] != nil, "\(attribute)") }
        }
    }

    @Test func `examples are valid and change the plan`() throws {
        for parameter in Self.steps + ParameterTable.attributes + ParameterTable.settings {
            let plan = try Self.parse(parameter.name, parameter.example)
            let without = Self.companions[parameter.name] ?? ""
            let other = try RequestLanguage.parse(query: without, options: ParseOptions()).plan
            #expect(plan.canonicalText != other.canonicalText, "\(parameter.name)=\(parameter.example)")
        }
    }

    @Test func `parsers accept the ends of each range, and nothing beyond them`() {
        var checked = 0
        for parameter in Self.steps + ParameterTable.attributes + ParameterTable.settings {
            for probe in Self.probes(parameter.form, parameter.example) {
                #expect(
                    Self.accepts(parameter.name, probe.value) == probe.isValid,
                    "\(parameter.name)=\(probe.value), \(probe.isValid)"
                )
                checked += 1
            }
        }
        #expect(checked > 200)
    }

    /// A value, and whether it is valid.
    private struct Probe {
        var value: String
        var isValid: Bool
    }

    /// Values at the ends of a form and just beyond them; for lists, in place of an item of the example.
    private static func probes(_ form: ValueForm, _ example: String) -> [Probe] {
        switch form {
        case .integer(let range, _):
            ends(String(range.lowerBound), String(range.upperBound), String(range.upperBound + 1))
                + [Probe(value: String(range.lowerBound - 1), isValid: false)]
        case .decimal(let range, let unit):
            [range.lowerBound, range.upperBound].flatMap { end in
                let step = end == range.lowerBound ? -1 : 1
                let beyond = FixedDecimal(millionths: end.millionths + step)
                return [end, beyond].map { Probe(value: $0.text + (unit == .percent ? "%" : ""), isValid: $0 == end) }
            }
        case .choice(let names, _):
            names.map { Probe(value: $0, isValid: true) } + [Probe(value: "none-such", isValid: false)]
        case .flag: ends("0", "1", "2")
        case .color: ends("fff", "00ff0080", "00ff0")
        case .angle: ends("-90", "720.5", "north")
        case .gravity: Gravity.names.map { Probe(value: $0, isValid: true) } + ends("0,0", "1,1", "1,1.1")
        case .rectangle: ends("0,0,10,10", "50%x50%", "1,2,3")
        case .text, .measure: []
        case .variants(let variants): variants.flatMap(probes)
        case .either(let items): items.flatMap { probes($0.form, example) }.filter { !$0.value.isEmpty }
        case .list(let items, let required, let separator):
            probes(items, required, separator, example)
        }
    }

    private static func ends(_ first: String, _ last: String, _ beyond: String) -> [Probe] {
        [
            Probe(value: first, isValid: true), Probe(value: last, isValid: true), Probe(value: beyond, isValid: false),
        ]
    }

    private static func probes(_ variant: ValueForm.Variant) -> [Probe] {
        let bare = Probe(value: variant.name, isValid: variant.arguments == nil || variant.isOptional)
        guard let arguments = variant.arguments else {
            return [bare, Probe(value: variant.name + ":1", isValid: false)]
        }
        let example =
            if case .list(let items, _, let separator) = arguments {
                items.map { _ in "123456" }.joined(separator: separator)
            } else {
                "0.5"
            }
        return [bare]
            + probes(arguments, example).filter { !$0.value.contains("80") }
            .map { Probe(value: "\(variant.name):\($0.value)", isValid: $0.isValid) }
    }

    private static func probes(
        _ items: [ValueForm.Item],
        _ required: Int,
        _ separator: String,
        _ example: String
    ) -> [Probe] {
        var parts = example.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        // The example of another alternative: a list of its own.
        guard parts.count >= required, parts.count > 1 || required == 1 else {
            let one = Array(repeating: "7", count: items.count)
            return one.indices.flatMap { index in
                probes(items[index].form, "7").filter { $0.value != "none-such" }.map { probe in
                    var own = one
                    own[index] = probe.value
                    return Probe(value: own.joined(separator: separator), isValid: probe.isValid)
                }
            }
        }
        guard parts[0].hasPrefix(MarkText.prefix) == (items[0].name == "text") else { return [] }
        parts = Array(parts.prefix(items.count))
        return parts.indices.flatMap { index in
            // A range of frames must not be reversed.
            probes(items[index].form, parts[index]).filter { _ in separator == "," }.map { probe in
                var own = parts
                own[index] = probe.value
                return Probe(value: own.joined(separator: separator), isValid: probe.isValid)
            }
        }
    }
}
