/// The steps and settings of a plan with the parameters they come from; for display, never for keys.
package struct PlanProvenance: Sendable {
    /// One step.
    package struct Step: Sendable {
        /// The step; `nil` if it does nothing (`rotate=360`) and so is not part of the plan.
        package let step: (any TransformStep)?
        /// The parameters of the step, including attributes; at least one.
        package let stated: [StatedParameter]
    }

    /// The steps in the order they run.
    package let steps: [Step]
    /// The settings that were given; all others have their defaults.
    package let settings: [StatedParameter]
}

extension RequestLanguage {
    /// Parses a raw query and reports the origin of each parameter.
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

/// The origin of a parameter.
package enum ParameterOrigin: Hashable, Sendable {
    /// The query itself.
    case query
    /// A preset that the query selects with `preset=NAME`.
    case preset(String)
    /// The source's default preset.
    case sourcePreset(String)
    /// The name of the requested file (`ScaleSuffix`).
    case fileName
    /// The query or a preset, whose value the source's limits for requests without a signature have replaced (`UnsignedLimits`).
    case snapped(from: String)
}

/// A parameter with its origin.
package struct StatedParameter: Hashable, Sendable {
    package let parameter: Parameter
    package let origin: ParameterOrigin

    /// Creates a parameter with its origin.
    package init(_ parameter: Parameter, _ origin: ParameterOrigin) {
        self.parameter = parameter
        self.origin = origin
    }
}
