import HTTPKit
import ImagePlan

/// `GET /language`: the parameters of plans with their forms, as JSON.
struct LanguageRoute: AdminRoute {
    func answer(_ request: AdminRequest) -> AdminAnswer { .now(.admin(Self.document)) }

    private static let document: JSONValue = .object([
        .init("steps", .array(ParameterTable.steps.map(\.json))),
        .init("attributes", .array(ParameterTable.attributes.map(\.json))),
        .init("settings", .array(ParameterTable.settings.map(\.json))),
        .init("maximumSteps", .number(ParameterTable.maximumSteps)),
    ])
}

extension ParameterTable.Step {
    fileprivate var json: JSONValue {
        .object([
            .init("parameters", .array(parameters.map(\.json))),
            .init("attributes", .array(attributes.map { .string($0) })),
            .init("repeatable", .bool(isRepeatable)),
        ])
    }
}

extension ParameterForm {
    fileprivate var json: JSONValue {
        .object([.init("name", .string(name)), .init("example", .string(example)), .init("form", form.json)])
    }
}

extension ValueForm {
    /// `kind`, and members for its ranges and choices.
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let range, let unit):
            Self.json("integer", .number(range.lowerBound), .number(range.upperBound), unit)
        case .decimal(let range, let unit):
            Self.json("decimal", .decimal(range.lowerBound.value), .decimal(range.upperBound.value), unit)
        case .angle: Self.json("angle")
        case .choice(let names, _): Self.json("choice", [.init("of", .array(names.map { .string($0) }))])
        case .flag: Self.json("flag")
        case .color: Self.json("color")
        case .text(let prefix): Self.json("text", [.init("prefix", .string(prefix))])
        case .measure: Self.json("measure")
        case .gravity: Self.json("gravity", [.init("of", .array(Gravity.names.map { .string($0) }))])
        case .rectangle: Self.json("rectangle")
        case .list(let items, let required, let separator):
            Self.json(
                "list",
                [
                    .init("of", .array(items.map(\.json))), .init("required", .number(required)),
                    .init("separator", .string(separator)),
                ]
            )
        case .variants(let variants): Self.json("variants", [.init("of", .array(variants.map(\.json)))])
        case .either(let items): Self.json("either", [.init("of", .array(items.map(\.json)))])
        }
    }

    private static func json(_ kind: String, _ members: [JSONValue.Member] = []) -> JSONValue {
        .object([.init("kind", .string(kind))] + members)
    }

    private static func json(_ kind: String, _ low: JSONValue, _ high: JSONValue, _ unit: Unit) -> JSONValue {
        let unit: [JSONValue.Member] = unit == .none ? [] : [.init("unit", .string(unit.rawValue))]
        return json(kind, [.init("min", low), .init("max", high)] + unit)
    }
}

extension ValueForm.Item {
    fileprivate var json: JSONValue { .object([.init("name", .string(name)), .init("form", form.json)]) }
}

extension ValueForm.Variant {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [.init("name", .string(name))]
        if let arguments {
            members += [.init("form", arguments.json), .init("optional", .bool(isOptional))]
        }
        return .object(members)
    }
}
