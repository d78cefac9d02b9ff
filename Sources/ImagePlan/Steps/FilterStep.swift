/// `filter`: a named colour filter; alpha does not change.
package struct FilterStep: SingleParameterStep {
    package static let name = "filter"
    package static let form = ValueForm.variants(FilterRegistry.types.map { $0.variant })
    package static let example = "sepia"

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

    // The text identifies the filter and its arguments.
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
        ChromaFilter.self,
        VignetteFilter.self,
    ]

    /// The syntax of each filter, for error messages.
    package static let spellings = types.map { $0.argumentNote.isEmpty ? $0.name : $0.name + $0.argumentNote }

    /// The filter with a given name.
    package static func type(named name: String) -> (any NamedFilter.Type)? { types.first { $0.name == name } }
}

/// A filter's spelling and cost; the worker extends each type with the pixel work.
package protocol NamedFilter: Hashable, Sendable {
    /// The name before the colon.
    static var name: String { get }
    /// The syntax of the arguments after the colon, for error messages; empty if there are none.
    static var argumentNote: String { get }

    /// The name, and the form of the arguments.
    static var variant: ValueForm.Variant { get }

    /// Parses the arguments after the colon, `nil` if there are none; returns `nil` if the filter would do nothing.
    init?(parsing arguments: Parameter?) throws(RequestError)

    /// The arguments in canonical form; `nil` if they are the defaults.
    var arguments: String? { get }
    /// The cost per pixel, in units of one cheap pass.
    var costPerPixel: Int { get }
    /// Whether filtering and scaling commute: the filter neither clips nor bends values.
    var commutesWithScaling: Bool { get }
}

extension NamedFilter {
    package static var argumentNote: String { "" }
    package static var variant: ValueForm.Variant { ValueForm.Variant(name) }
    package var arguments: String? { nil }
    package var costPerPixel: Int { 4 }
    package var commutesWithScaling: Bool { false }

    /// The filter in canonical form.
    package var text: String { arguments.map { "\(Self.name):\($0)" } ?? Self.name }
}

/// A filter without arguments.
package protocol PlainFilter: NamedFilter {
    /// Creates the filter.
    init()
}

extension PlainFilter {
    package init?(parsing arguments: Parameter?) throws(RequestError) {
        if let arguments { throw arguments.error("\(Self.name) takes no arguments") }
        self.init()
    }
}

extension Color {
    /// Parses an opaque colour.
    init(parsingOpaque parameter: Parameter) throws(RequestError) {
        try self.init(parsing: parameter)
        guard isOpaque else { throw parameter.error("needs opaque colours, as rgb or rrggbb") }
    }
}
