/// What a name is in the language: looked up once a parameter.
enum ParameterRole: Sendable {
    case step(any TransformStep.Type)
    case attribute
    case setting(PlanSetting)
    /// Speaks of the request and not of the picture.
    case request

    /// Names that speak of the request and not of the picture.
    private static let requestNames = ["preset", "filename", "download", "timing", "exp", "sig", "refresh", "url"]

    private static let table: [String: ParameterRole] = {
        var table: [String: ParameterRole] = [:]
        for name in requestNames { table[name] = .request }
        for attribute in StepRegistry.attributes { table[attribute] = .attribute }
        for setting in PlanSetting.all { table[setting.name] = .setting(setting) }
        for type in StepRegistry.types {
            for name in type.names { table[name] = .step(type) }
        }
        return table
    }()

    /// All names, in alphabetical order.
    static let names = table.keys.sorted()

    /// What other image proxies and CSS call the language's parameters.
    static let otherNames = [
        "animated": "anim", "animation": "anim", "background": "bg", "density": "dpr", "expires": "exp",
        "ext": "format",
        "fm": "format", "focus": "gravity", "greyscale": "filter=grayscale", "grayscale": "filter=grayscale",
        "height": "h", "invert": "filter=invert", "mode": "fit", "output": "format", "quality": "q", "radius": "round",
        "rounded": "round", "rot": "rotate", "sepia": "filter=sepia", "signature": "sig",
        "thumbnail": "w", "type": "format", "upscale": "enlarge", "width": "w",
    ]

    /// `; did you mean w?` for a name that the language does not have.
    ///
    /// - Parameter more: names that are known beside the language's.
    static func hint(_ name: String, among more: Set<String> = []) -> String {
        NearestName.hint(name, among: names + more.sorted(), otherNames: otherNames)
    }

    /// The role of a name; `nil` where the language does not have it.
    init?(of name: String) {
        guard let role = Self.table[name] else { return nil }
        self = role
    }

    /// Whether the name is a part of a plan.
    var speaksOfPicture: Bool {
        switch self {
        case .step, .attribute, .setting: true
        case .request: false
        }
    }

    /// Whether the name may stand more than once.
    var isRepeatable: Bool {
        if case .step(let type) = self { type.isRepeatable } else { false }
    }
}
