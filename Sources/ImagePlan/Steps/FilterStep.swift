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

/// The filters that `filter` accepts.
///
/// To add one, add a type in `NamedFilters.swift` and a line here.
package enum FilterRegistry {
    package static let types: [any NamedFilter.Type] = [
        GrayscaleFilter.self,
        SepiaFilter.self,
        InvertFilter.self,
        DuotoneFilter.self,
        MonochromeFilter.self,
        VignetteFilter.self,
    ]

    /// How each filter is written, for errors.
    package static let spellings = types.map { $0.argumentNote.isEmpty ? $0.name : $0.name + $0.argumentNote }

    /// The filter of a name.
    package static func type(named name: String) -> (any NamedFilter.Type)? { types.first { $0.name == name } }
}

/// A filter's spelling and cost; the worker extends each type with the pixel work.
package protocol NamedFilter: Hashable, Sendable {
    /// What stands in front of the colon.
    static var name: String { get }
    /// What may stand behind the colon, for an error's words; empty where nothing may.
    static var argumentNote: String { get }

    /// Reads what stands behind the colon, `nil` where there is none; no filter where it would do nothing.
    init?(parsing arguments: Parameter?) throws(RequestError)

    /// The canonical arguments, `nil` where they are the defaults.
    var arguments: String? { get }
    /// Units of one cheap pass over one pixel.
    var costPerPixel: Int { get }
    /// Whether no value is clipped or bent, so that filtering and scaling may change places.
    var commutesWithScaling: Bool { get }
}

extension NamedFilter {
    package static var argumentNote: String { "" }
    package var arguments: String? { nil }
    package var costPerPixel: Int { 4 }
    package var commutesWithScaling: Bool { false }

    /// The filter as it stands in a request.
    package var text: String { arguments.map { "\(Self.name):\($0)" } ?? Self.name }
}

/// A filter without arguments.
package protocol PlainFilter: NamedFilter {
    /// Creates the filter.
    init()
}

extension PlainFilter {
    package init?(parsing arguments: Parameter?) throws(RequestError) {
        if let arguments { throw arguments.error("\(Self.name) takes nothing behind a colon") }
        self.init()
    }
}

extension Color {
    /// Reads a filter's colour, which has no alpha.
    init(parsingOpaque parameter: Parameter) throws(RequestError) {
        try self.init(parsing: parameter)
        guard isOpaque else { throw parameter.error("needs colours without alpha, as rgb or rrggbb") }
    }
}
