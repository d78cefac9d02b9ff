/// The JSON Schema of the configuration file (draft 7), for editors: `edgeprint check --schema`.
///
/// Generated from the tables that read the file. An editor finds unknown keys, wrong shapes and misspelt words with it; the ranges of
/// texts such as sizes, and whatever depends on several keys, are checked by `edgeprint check`.
enum ConfigurationSchemaDocument {
    /// The document.
    static var json: JSONValue {
        let defaults = Configuration()
        let root = object(ConfigurationSchema.root) { $0.write(defaults) }
        return .object(
            [
                .init("$schema", .string("http://json-schema.org/draft-07/schema#")),
                .init("title", .string("Edgeprint \(Version.text)")),
            ] + members(of: root) + [
                .init(
                    "definitions",
                    .object([
                        .init("source", object(SourceSchema.table, required: ["url"])),
                        .init("site", object(SiteSchema.table)), .init("rule", object(RuleSchema.table)),
                    ])
                )
            ]
        )
    }

    /// A node of the tree that dotted names form.
    private struct Section {
        var value: JSONValue?
        var sections: [(name: String, section: Section)] = []

        mutating func insert(_ value: JSONValue, at path: ArraySlice<Substring>) {
            guard let name = path.first else {
                self.value = value
                return
            }
            let index = sections.firstIndex { $0.name == name } ?? sections.count
            if index == sections.count { sections.append((String(name), Section())) }
            sections[index].section.insert(value, at: path.dropFirst())
        }

        var json: JSONValue {
            guard !sections.isEmpty else { return value ?? .object([]) }
            let properties = sections.map { JSONValue.Member($0.name, $0.section.json) }
            return .object([
                // A section may be empty.
                .init("type", .array([.string("object"), .string("null")])), .init("properties", .object(properties)),
                .init("additionalProperties", .bool(false)),
            ])
        }
    }

    /// The keys of a table, nested by their sections.
    private static func object<Root>(
        _ table: SettingTable<Root>,
        required: [String] = [],
        defaults: (Setting<Root>) -> YAMLValue? = { _ in nil }
    ) -> JSONValue {
        var top = Section()
        for setting in table.settings {
            var members = members(of: shape(setting.schema))
            let values = setting.expectation.isEmpty ? "" : "\nValue: \(setting.expectation)."
            members.append(.init("description", .string(setting.summary + values)))
            if let value = defaults(setting) { members.append(.init("default", JSONValue(value))) }
            top.insert(.object(members), at: setting.name.split(separator: ".")[...])
        }
        guard case .object(var members) = top.json else { return top.json }
        if !required.isEmpty { members.append(.init("required", .array(required.map(JSONValue.string)))) }
        return .object(members)
    }

    private static func members(of value: JSONValue) -> [JSONValue.Member] {
        if case .object(let members) = value { members } else { [] }
    }

    /// A reference to an environment variable, which is replaced before the value is read.
    private static let variable = text(pattern: #"\$\{"#)

    /// The words for flags, in any of their usual spellings.
    private static let flags =
        ["true", "false", "on", "off", "yes", "no"].map { word in
            "\(word)|\(word.prefix(1).uppercased() + word.dropFirst())|\(word.uppercased())"
        }.reduce("^(") { $0 + ($0 == "^(" ? "" : "|") + $1 } + ")$"

    private static func shape(_ schema: ValueSchema) -> JSONValue {
        switch schema {
        case .scalar: return types("string", "number", "boolean")
        case .text(let pattern): return any([text(pattern: pattern), variable])
        case .integer(let range):
            var bounds = [JSONValue.Member("minimum", .number(range.lowerBound))]
            if range.upperBound < .max { bounds.append(.init("maximum", .number(range.upperBound))) }
            return any([.object([type("integer")] + bounds), text(pattern: "^[0-9]+$"), variable])
        case .number(let minimum, let maximum):
            let bounds: [JSONValue.Member] = [.init("minimum", .decimal(minimum)), .init("maximum", .decimal(maximum))]
            return any([.object([type("number")] + bounds), text(pattern: #"^[0-9]+(\.[0-9]+)?$"#), variable])
        case .flag:
            return any([.object([type("boolean")]), text(pattern: flags), variable])
        case .words(let words):
            // Readers of YAML 1.1 take these words for booleans.
            let flags: [JSONValue] =
                (words.contains("on") || words.contains("true") ? [.bool(true)] : [])
                + (words.contains("off") || words.contains("false") || words.contains("none") ? [.bool(false)] : [])
            return any([.object([.init("enum", .array(words.map(JSONValue.string) + flags))]), variable])
        case .either(let schemas): return any(schemas.map(shape))
        case .list(let element, let isEmptyAllowed):
            let items: [JSONValue.Member] =
                [type("array"), .init("items", shape(element))]
                + (isEmptyAllowed ? [] : [.init("minItems", .number(1))])
            return any([shape(element), .object(items)])
        case .map(let value):
            return .object([type("object"), .init("additionalProperties", shape(value))])
        case .object(let known, let required):
            return .object([
                type("object"), .init("properties", .object(known.map { .init($0.name, shape($0.value)) })),
                .init("required", .array(required.map(JSONValue.string))), .init("additionalProperties", .bool(false)),
            ])
        case .null: return .object([type("null")])
        case .definition(let name): return .object([.init("$ref", .string("#/definitions/\(name)"))])
        }
    }

    /// Alternatives, flattened.
    private static func any(_ schemas: [JSONValue]) -> JSONValue {
        var flat: [JSONValue] = []
        for schema in schemas {
            if case .object(let members) = schema, members.count == 1, members[0].name == "anyOf",
                case .array(let inner) = members[0].value
            {
                flat += inner.filter { !flat.contains($0) }
            } else if !flat.contains(schema) {
                flat.append(schema)
            }
        }
        return flat.count == 1 ? flat[0] : .object([.init("anyOf", .array(flat))])
    }

    private static func text(pattern: String) -> JSONValue {
        .object([type("string"), .init("pattern", .string(pattern))])
    }

    private static func type(_ name: String) -> JSONValue.Member { .init("type", .string(name)) }

    private static func types(_ names: String...) -> JSONValue {
        .object([.init("type", .array(names.map(JSONValue.string)))])
    }
}
