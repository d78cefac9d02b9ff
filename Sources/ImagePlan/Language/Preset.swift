/// A named list of steps and settings, read when the configuration is.
package struct Preset: Hashable, Sendable {
    /// The longest name in characters.
    static let longestName = 64

    package let name: String
    /// In their order.
    let parameters: [Parameter]
    /// What it comes to by itself.
    package let plan: Plan

    /// Reads `w=400&h=300&fit=cover`; presets hold steps, attributes and settings, and no other presets.
    ///
    /// An attribute may stand without the step that it is for: the request may bring that.
    package init(name: String, text: String) throws(RequestError) {
        guard Self.isValid(name: name) else {
            throw RequestError(
                parameter: name,
                reason: "a preset's name is made of letters, digits, '-', '_' and '.', and is not 'none'"
            )
        }
        self.name = name
        var parameters: [Parameter] = []
        for pair in try QueryPair.split(Array(text.utf8)) {
            let role = ParameterRole(of: pair.name)
            guard let role, role.speaksOfPicture else {
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
        case .request: "has no place in a preset"
        default: "is not a known parameter" + ParameterRole.hint(name)
        }
    }

    /// Whether a preset may have this name.
    package static func isValid(name: String) -> Bool {
        name != "none" && !name.isEmpty && name.utf8.count <= longestName
            && name.utf8.allSatisfy { $0.isURLUnreserved && $0 != UInt8(ascii: "~") }
    }
}
