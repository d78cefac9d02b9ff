/// One of the values of `filter`: how it is written and what it costs, never pixels.
///
/// One file a filter in this folder, and a line in `FilterRegistry`; the worker extends each type with what it does to pixels.
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
