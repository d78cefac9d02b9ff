/// The parameters of one plan while they are put together from presets and the query, in the order in which they stand.
struct PlanParameters {
    /// The most steps of one plan.
    static let maximumSteps = 32

    private struct Entry {
        var parameter: Parameter
        /// Which text the entry came from; a later text's settings replace an earlier one's.
        var layer: Int
    }

    private var entries: [Entry] = []
    private var layer = 0

    /// Whether no parameter stands here.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a name is a step, an attribute or a setting of this version.
    static func contains(_ name: String) -> Bool {
        StepRegistry.type(named: name) != nil || StepRegistry.attributes.contains(name)
            || PlanSetting.named(name) != nil
    }

    /// Why a name that is not contained is refused.
    static func refusal(of name: String, in place: String) -> String {
        if UnsupportedParameters.names.contains(name) { return "is not supported by this version" }
        if RequestLanguage.requestNames.contains(name) { return "has no place in \(place)" }
        return "is not a known parameter"
    }

    /// Adds a text's parameters at the end; its settings replace those of texts before it, in their places.
    mutating func append(_ parameters: [Parameter]) throws(RequestError) {
        layer += 1
        for parameter in parameters { try insert(parameter, layer: layer) }
    }

    /// Adds one text in layers: presets in their place below the text's own parameters.
    mutating func append(_ parts: [Part]) throws(RequestError) {
        let presetLayer = layer + 1
        layer += 2
        for part in parts {
            switch part {
            case .own(let parameter):
                try insert(parameter, layer: layer)
            case .preset(let preset):
                for parameter in preset.parameters { try insert(parameter, layer: presetLayer) }
            }
        }
    }

    /// A piece of a query.
    enum Part {
        case own(Parameter)
        case preset(Preset)
    }

    private mutating func insert(_ parameter: Parameter, layer: Int) throws(RequestError) {
        let repeats = StepRegistry.type(named: parameter.name)?.isRepeatable ?? false
        if !repeats, let index = entries.firstIndex(where: { $0.parameter.name == parameter.name }) {
            guard entries[index].layer != layer else { throw parameter.error("stands more than once") }
            if entries[index].layer < layer { entries[index] = Entry(parameter: parameter, layer: layer) }
            return
        }
        entries.append(Entry(parameter: parameter, layer: layer))
    }

    /// Reads all values.
    func plan(allowsUnusedAttributes: Bool = false) throws(RequestError) -> Plan {
        let parameters = entries.map(\.parameter)
        let attributes = parameters.filter { StepRegistry.attributes.contains($0.name) }
        let context = try StepContext(attributes: attributes)
        let steps = try Self.steps(of: parameters, in: context)
        var settings = PlanSettings()
        for parameter in parameters {
            if let setting = PlanSetting.named(parameter.name) { try setting.read(parameter, &settings) }
        }
        for attribute in attributes {
            for type in StepRegistry.types where type.attributes.contains(attribute.name) {
                try type.check(attribute: attribute)
            }
            guard allowsUnusedAttributes || steps.contains(where: { $0.uses(attribute: attribute.name) }) else {
                throw attribute.error(Self.reasonUnused(attribute.name))
            }
        }
        return Plan(steps: steps, settings: settings)
    }

    private static func reasonUnused(_ attribute: String) -> String {
        attribute == StepContext.gravityName ? "needs w, h or a crop=WxH" : "needs w or h"
    }

    private static func steps(
        of parameters: [Parameter],
        in context: StepContext
    ) throws(RequestError) -> [any TransformStep] {
        var steps: [any TransformStep] = []
        var made: Set<String> = []
        for parameter in parameters {
            guard let type = StepRegistry.type(named: parameter.name), !made.contains(parameter.name) else { continue }
            var own = [parameter]
            if !type.isRepeatable {
                own = parameters.filter { type.names.contains($0.name) }
                made.formUnion(type.names)
            }
            if let step = try type.make(from: own, in: context) { steps.append(step) }
            guard steps.count <= maximumSteps else {
                throw parameter.error("is one step too many; a plan has at most \(maximumSteps)")
            }
        }
        return steps
    }
}
