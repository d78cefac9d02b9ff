/// The parameters of a plan, collected from presets and the query, in order.
struct PlanParameters {
    /// The maximum number of steps in a plan.
    static let maximumSteps = 32

    /// A piece of a query.
    enum Part {
        case own(Parameter, ParameterRole)
        case preset(Preset)
    }

    private struct Entry {
        var parameter: Parameter
        let role: ParameterRole
        /// The text the entry came from: a later text's settings replace an earlier one's.
        var layer: Int
        var origin: ParameterOrigin
    }

    private var entries: [Entry] = []
    private var layer = 0

    /// Whether there are no parameters.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a resize has a width or a height.
    var hasSize: Bool { entries.contains { ResizeStep.names.contains($0.parameter.name) } }

    /// The parameters that the query states.
    var stated: [Parameter] { entries.filter { $0.origin == .query }.map(\.parameter) }

    /// The first parameter of a name, of the query or of a preset.
    subscript(name: String) -> Parameter? { entries.first { $0.parameter.name == name }?.parameter }

    /// Replaces a parameter by the allowed one that takes its place.
    mutating func snap(_ parameter: Parameter, to snapped: Parameter) {
        guard let index = entries.firstIndex(where: { $0.parameter == parameter }) else { return }
        entries[index].parameter = snapped
        entries[index].origin = .snapped(from: parameter.value)
    }

    /// Appends a preset's parameters; its settings replace those of earlier texts in place.
    mutating func append(_ parameters: [Parameter], origin: ParameterOrigin) throws(RequestError) {
        layer += 1
        try insert(parameters, layer: layer, origin)
    }

    /// Appends a query as two layers: its presets, in place, below its own parameters.
    mutating func append(_ parts: [Part]) throws(RequestError) {
        let presetLayer = layer + 1
        layer += 2
        for part in parts {
            switch part {
            case .own(let parameter, let role): try insert(parameter, role, layer: layer, .query)
            case .preset(let preset): try insert(preset.parameters, layer: presetLayer, .preset(preset.name))
            }
        }
    }

    private mutating func insert(
        _ parameters: [Parameter],
        layer: Int,
        _ origin: ParameterOrigin
    ) throws(RequestError) {
        for parameter in parameters {
            guard let role = ParameterRole(of: parameter.name) else { continue }
            try insert(parameter, role, layer: layer, origin)
        }
    }

    private mutating func insert(
        _ parameter: Parameter,
        _ role: ParameterRole,
        layer: Int,
        _ origin: ParameterOrigin
    ) throws(RequestError) {
        let isKnown = { (entry: Entry) in entry.parameter.name == parameter.name }
        guard !role.isRepeatable, let index = entries.firstIndex(where: isKnown) else {
            entries.append(Entry(parameter: parameter, role: role, layer: layer, origin: origin))
            return
        }
        guard entries[index].layer != layer else { throw parameter.error("is given more than once") }
        if entries[index].layer < layer {
            entries[index].parameter = parameter
            entries[index].layer = layer
            entries[index].origin = origin
        }
    }

    /// Parses all values.
    ///
    /// - Throws: 400, naming the parameter.
    func plan(allowsUnusedAttributes: Bool = false) throws(RequestError) -> Plan {
        var attributes: [Parameter] = []
        var settings = PlanSettings()
        for entry in entries {
            switch entry.role {
            case .attribute: attributes.append(entry.parameter)
            case .setting(let setting): try setting.read(entry.parameter, &settings)
            default: break
            }
        }
        if settings.format == .jpeg, settings.encoding.isLossless {
            throw RequestError(parameter: PlanSetting.lossless.name, reason: "format=jpeg is always lossy")
        }
        try settings.checkAnimation()
        if !allowsUnusedAttributes { try settings.checkPixel() }
        let steps = try madeSteps(in: try StepContext(attributes: attributes)).compactMap(\.step)
        for attribute in attributes {
            for type in StepRegistry.types where type.attributes.contains(attribute.name) {
                try type.check(attribute: attribute)
            }
            guard allowsUnusedAttributes || steps.contains(where: { $0.uses(attribute: attribute.name) }) else {
                throw attribute.error(Self.reasonUnused(attribute.name))
            }
        }
        try Self.checkGravity(of: steps)
        return Plan(steps: steps, settings: settings)
    }

    /// Checks that all steps agree on the gravity, which `dpr` scales in a resize, but not in a crop.
    private static func checkGravity(of steps: [any TransformStep]) throws(RequestError) {
        let stated = steps.flatMap(\.attributeParameters).filter { $0.name == StepContext.gravityName }
        guard Set(stated).count > 1 else { return }
        throw RequestError(
            parameter: StepContext.gravityName,
            reason: "has an offset in pixels, which dpr scales for the resize, but not for the crop; "
                + "use percent, or crop=WxH,GRAVITY"
        )
    }

    private static func reasonUnused(_ attribute: String) -> String {
        let names = StepRegistry.types.filter { $0.attributes.contains(attribute) }.flatMap { $0.names }
        return "has no effect without a step that uses it (\(names.joined(separator: ", ")))"
    }

    /// The origin of each parameter; call it after `plan`, which checks more.
    func provenance() throws(RequestError) -> PlanProvenance {
        let attributes = entries.filter { if case .attribute = $0.role { true } else { false } }
        let made = try madeSteps(in: try StepContext(attributes: attributes.map(\.parameter)))
        var stated = made.map(\.entries)
        for attribute in attributes {
            // Compare with the steps without the attribute: dpr, say, affects a blur that does not declare it.
            let others = attributes.map(\.parameter).filter { $0 != attribute.parameter }
            let without = try? madeSteps(in: StepContext(attributes: others))
            for (index, step) in made.map(\.step).enumerated() {
                guard let step else { continue }
                let isUsed = step.uses(attribute: attribute.parameter.name)
                let matters = without?[index].step.map { !step.equals($0) } ?? false
                if isUsed || matters { stated[index].append(attribute) }
            }
        }
        let steps = zip(made, stated).map { PlanProvenance.Step(step: $0.step, stated: $1.map(Self.statement)) }
        let settings = entries.filter { if case .setting = $0.role { true } else { false } }
        return PlanProvenance(steps: steps, settings: settings.map(Self.statement))
    }

    private static func statement(_ entry: Entry) -> StatedParameter {
        StatedParameter(entry.parameter, entry.origin)
    }

    /// The steps with their entries; no step if it would do nothing.
    private func madeSteps(
        in context: StepContext
    ) throws(RequestError) -> [(step: (any TransformStep)?, entries: [Entry])] {
        var steps: [(step: (any TransformStep)?, entries: [Entry])] = []
        var count = 0
        // The names of unrepeatable steps already made, at the place of the first of their parameters.
        var made: [String] = []
        for entry in entries {
            guard case .step(let type) = entry.role, !made.contains(entry.parameter.name) else { continue }
            var own = [entry]
            if !type.isRepeatable {
                own = entries.filter { type.names.contains($0.parameter.name) }
                made += type.names
            }
            let step = try type.make(from: own.map(\.parameter), in: context)
            steps.append((step, own))
            if step != nil { count += 1 }
            guard count <= Self.maximumSteps else {
                throw entry.parameter.error("exceeds the maximum of \(Self.maximumSteps) steps")
            }
        }
        return steps
    }
}
