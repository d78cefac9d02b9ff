/// The role of a name in the request language.
enum ParameterRole: Sendable {
    case step(any TransformStep.Type)
    case attribute
    case setting(PlanSetting)
    /// About the request, not the image.
    case request

    /// The names of parameters about the request.
    private static let requestNames = [
        "preset", "filename", "download", "timing", "exp", "sig", "scope", "refresh", "retry", "wait-store", "url",
        "url64", "enc",
    ]

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

    /// All names in alphabetical order.
    static let names = table.keys.sorted()

    /// Names for the parameters in other image proxies and CSS, used for suggestions.
    static let otherNames = [
        "animated": "anim", "animation": "anim", "background": "bg", "density": "dpr", "duotone": "filter=duotone",
        "expires": "exp", "ext": "format", "fm": "format", "fmt": "format", "focus": "gravity",
        "grayscale": "filter=grayscale", "greyscale": "filter=grayscale", "height": "h", "invert": "filter=invert",
        "mode": "fit", "output": "format", "quality": "q", "radius": "round", "resize": "w", "rot": "rotate",
        "rotation": "rotate", "rounded": "round", "scale": "dpr", "sepia": "filter=sepia", "signature": "sig",
        "size": "w",
        "strip": "meta", "thumbnail": "w", "type": "format", "upscale": "enlarge", "vignette": "filter=vignette",
        "width": "w", "wm": "watermark",
    ]

    /// A suffix such as `; did you mean w?` for an unknown name.
    ///
    /// - Parameter more: further known names.
    static func hint(_ name: String, among more: Set<String> = []) -> String {
        NearestName.hint(name, among: names + more.sorted(), otherNames: otherNames)
    }

    /// The role of a name; `nil` if it is unknown.
    init?(of name: String) {
        guard let role = Self.table[name] else { return nil }
        self = role
    }

    /// Whether the parameter is part of a plan.
    var isPartOfPlan: Bool {
        switch self {
        case .step, .attribute, .setting: true
        case .request: false
        }
    }

    /// Whether the parameter may occur more than once.
    var isRepeatable: Bool {
        if case .step(let type) = self { type.isRepeatable } else { false }
    }
}
