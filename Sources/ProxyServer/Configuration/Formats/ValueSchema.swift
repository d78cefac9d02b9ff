/// What an editor can check of a configuration value: the shape behind a `ValueFormat`, without the checks that need a program.
///
/// `ConfigurationSchemaDocument` renders it as JSON Schema. A shape accepts everything that the format accepts; it may accept more.
indirect enum ValueSchema: Sendable {
    /// Any scalar.
    case scalar
    /// A text that matches a regular expression (ECMA-262).
    case text(pattern: String)
    /// A whole number.
    case integer(ClosedRange<Int>)
    case number(minimum: Double, maximum: Double)
    /// `true` and `false`, and the words that mean them.
    case flag
    /// One of some words.
    case words([String])
    /// One of several shapes.
    case either([ValueSchema])
    /// A list, or a single value that stands for a list of one.
    case list(of: ValueSchema, isEmptyAllowed: Bool)
    /// A map with any names.
    case map(of: ValueSchema)
    /// A map with known names, of which some are required.
    case object([(name: String, value: ValueSchema)], required: [String])
    /// `null`.
    case null
    /// An entry of the definitions: `source`, `site` or `rule`.
    case definition(String)

    /// A number with one of some units.
    ///
    /// - Parameter bare: whether numbers other than 0 may have no unit.
    static func scaled(_ units: [ScaledNumber.Unit], bare: Bool) -> ValueSchema {
        let names = units.map(\.name).joined(separator: "|")
        let number = #"[0-9]+(\.[0-9]+)?"#
        return .either([
            .text(pattern: bare ? "^([0-9]+|\(number)(\(names)))$" : "^(0|\(number)(\(names)))$"),
            .integer(0...(bare ? Int.max : 0)),
        ])
    }
}
