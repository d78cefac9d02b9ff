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
