/// The parts of a plan, each with the parameters that state it and who said these: what a person is shown, never a key.
package struct PlanProvenance: Sendable {
    /// One step.
    package struct Step: Sendable {
        /// The step; `nil` where what was said does nothing (`rotate=360`), which is no step of the plan.
        package let step: (any TransformStep)?
        /// What states it, attributes included; at least one.
        package let stated: [StatedParameter]
    }

    /// In the order in which they run.
    package let steps: [Step]
    /// The settings that were said; all others have their defaults.
    package let settings: [StatedParameter]
}

extension RequestLanguage {
    /// Reads the bytes of a raw query, and tells who said what.
    ///
    /// - Throws: as `parse(query:options:)` does.
    package static func provenance(
        query: [UInt8],
        options: ParseOptions
    ) throws(RequestError) -> PlanProvenance {
        var reader = QueryReader(options: options)
        for pair in try QueryPair.split(query) { try reader.read(pair) }
        return try reader.planParameters().provenance()
    }
}

/// Who said a parameter of a plan.
package enum ParameterOrigin: Hashable, Sendable {
    /// The query itself.
    case query
    /// The preset that `preset=NAME` in the query asked for.
    case preset(String)
    /// The preset that stands first in each query of the source.
    case sourcePreset(String)
}

/// A parameter of a plan as it was said, and who said it.
package struct StatedParameter: Hashable, Sendable {
    package let parameter: Parameter
    package let origin: ParameterOrigin

    /// Creates a statement.
    package init(_ parameter: Parameter, _ origin: ParameterOrigin) {
        self.parameter = parameter
        self.origin = origin
    }
}
