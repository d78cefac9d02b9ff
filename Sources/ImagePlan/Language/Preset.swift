/// A named list of steps and settings, parsed with the configuration.
package struct Preset: Hashable, Sendable {
    /// The longest name in characters.
    static let longestName = 64

    package let name: String
    /// The parameters in order.
    let parameters: [Parameter]
    /// The plan of the preset alone.
    package let plan: Plan

    /// Parses `w=400&h=300&fit=cover`; presets contain steps, attributes and settings, but no other presets.
    ///
    /// An attribute may occur without its step: the request may add it.
    package init(name: String, text: String) throws(RequestError) {
        guard Self.isValid(name: name) else {
            throw RequestError(
                parameter: name,
                reason: "a preset's name consists of letters, digits, '-', '_' and '.', and is not 'none'"
            )
        }
        self.name = name
        var parameters: [Parameter] = []
        for pair in try QueryPair.split(Array(text.utf8)) {
            let role = ParameterRole(of: pair.name)
            guard let role, role.isPartOfPlan else {
                throw RequestError(parameter: pair.name, reason: Self.refusal(of: pair.name, role))
            }
            parameters.append(try pair.parameter())
        }
        self.parameters = parameters
        var composition = PlanParameters()
        try composition.append(parameters, origin: .preset(name))
        plan = try composition.plan(allowsUnusedAttributes: true)
    }

    private static func refusal(of name: String, _ role: ParameterRole?) -> String {
        switch role {
        case .request: "is not allowed in a preset"
        default: "is not a known parameter" + ParameterRole.hint(name)
        }
    }

    /// Whether a preset may have a given name.
    package static func isValid(name: String) -> Bool {
        name != "none" && !name.isEmpty && name.utf8.count <= longestName
            && name.utf8.allSatisfy { $0.isURLUnreserved && $0 != UInt8(ascii: "~") }
    }
}
