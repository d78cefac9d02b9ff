/// The origin of a fact: the part of the request or configuration that determines it.
enum FactOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The request's path.
    case path
    /// A query parameter of the request.
    case parameter(String)
    /// A field of the request, or the command-line option in its place.
    case field(String)
    /// A preset of the query, and the place where the preset is defined.
    case preset(String, Place?)
    /// The source's preset, and the place where the preset is defined.
    case sourcePreset(String, Place?)
    /// A preset that a rule sets in place of the source's, the place where the preset is defined, and the rule's key.
    case rulePreset(String, Place?, key: String)
    /// A key of the configuration, or its default.
    case setting(SettingOrigin)

    var description: String {
        switch self {
        case .path: "URL path"
        case .parameter(let name): "URL parameter \(name)"
        case .field(let name): "\(name) field"
        case .preset(let name, let place): "preset \(name)" + FactOrigin.suffix(place)
        case .sourcePreset(let name, let place): "preset \(name) of the source" + FactOrigin.suffix(place)
        case .rulePreset(let name, let place, let key): "preset \(name) of \(key)" + FactOrigin.suffix(place)
        case .setting(let origin):
            if let place = origin.place {
                "\(place) \(origin.key)"
            } else {
                "default" + (origin.key.isEmpty ? "" : " of \(origin.key)")
            }
        }
    }

    private static func suffix(_ place: Place?) -> String { place.map { " (\($0))" } ?? "" }

    /// An object with `kind` and its members.
    var json: JSONValue {
        switch self {
        case .path: .object([.init("kind", .string("path"))])
        case .parameter(let name): .object([.init("kind", .string("parameter")), .init("parameter", .string(name))])
        case .field(let name): .object([.init("kind", .string("field")), .init("field", .string(name))])
        case .preset(let name, let place):
            .object([.init("kind", .string("preset")), .init("preset", .string(name))] + FactOrigin.members(place))
        case .sourcePreset(let name, let place):
            .object(
                [.init("kind", .string("source-preset")), .init("preset", .string(name))] + FactOrigin.members(place)
            )
        case .rulePreset(let name, let place, let key):
            .object(
                [.init("kind", .string("rule-preset")), .init("preset", .string(name)), .init("key", .string(key))]
                    + FactOrigin.members(place)
            )
        case .setting(let origin):
            .object(
                [.init("kind", .string(FactOrigin.kind(origin.place)))]
                    + (origin.key.isEmpty ? [] : [.init("key", .string(origin.key))])
                    + FactOrigin.members(origin.place)
            )
        }
    }

    private static func kind(_ place: Place?) -> String {
        switch place {
        case nil: "default"
        case .file: "file"
        case .environment: "environment"
        case .flag: "flag"
        }
    }

    private static func members(_ place: Place?) -> [JSONValue.Member] {
        switch place {
        case nil: []
        case .file(let path, let line): [.init("file", .string(path)), .init("line", .number(line))]
        case .environment(let name): [.init("variable", .string(name))]
        case .flag(let name): [.init("flag", .string(name))]
        }
    }
}
