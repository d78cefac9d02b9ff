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
