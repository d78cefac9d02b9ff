/// The parameters of a plan with their forms: what an editor of plans offers.
package enum ParameterTable {
    /// A step with its parameters.
    package struct Step: Hashable, Sendable {
        /// The parameters that form the step.
        package let parameters: [ParameterForm]
        /// The names of the attributes that it reads.
        package let attributes: [String]
        /// Whether it can occur several times.
        package let isRepeatable: Bool
    }

    /// The steps, in the order of `StepRegistry`.
    package static let steps: [Step] = StepRegistry.types.map { type in
        Step(parameters: type.forms, attributes: type.attributes, isRepeatable: type.isRepeatable)
    }

    /// The attributes of steps.
    package static let attributes: [ParameterForm] = StepRegistry.attributeForms

    /// The settings, each at most once and anywhere.
    package static let settings: [ParameterForm] = PlanSetting.all.map { setting in
        ParameterForm(setting.name, setting.form, example: setting.example)
    }

    /// The maximum number of steps in a plan.
    package static let maximumSteps = PlanParameters.maximumSteps

    /// The parameter with a name.
    package static subscript(name: String) -> ParameterForm? { byName[name] }

    private static let byName: [String: ParameterForm] = {
        let all = steps.flatMap(\.parameters) + attributes + settings
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }()
}
