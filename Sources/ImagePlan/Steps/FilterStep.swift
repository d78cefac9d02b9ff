/// `filter`: a named filter on the colours of every pixel; alpha is left alone.
package struct FilterStep: SingleParameterStep {
    package static let name = "filter"

    package let filter: any NamedFilter

    /// Creates the step.
    package init(filter: any NamedFilter) {
        self.filter = filter
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let type = FilterRegistry.type(named: String(parts[0])) else {
            let names = FilterRegistry.types.map { $0.name }
            let hint = NearestName.hint(String(parts[0]), among: names, otherNames: ["greyscale": "grayscale"])
            throw parameter.error("must be one of \(FilterRegistry.spellings.joined(separator: ", "))\(hint)")
        }
        let arguments = parts.count == 2 ? Parameter(parameter.name, String(parts[1])) : nil
        guard let filter = try type.init(parsing: arguments) else { return nil }
        self.filter = filter
    }

    package var value: String { filter.text }

    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.multipliedSaturated(by: filter.costPerPixel)
    }

    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        filter.commutesWithScaling ? .anyScale : .fullSize
    }

    // One text for each meaning: the filter's text says all of it.
    package static func == (left: FilterStep, right: FilterStep) -> Bool { left.value == right.value }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
