/// The syntax of a parameter's value: its range or its choices, for editors, documentation and corrections.
///
/// A form has the range and the choices of the parser, as the same constants; what else a parser requires, such as a sum that is not
/// zero, is not part of it.
package indirect enum ValueForm: Hashable, Sendable {
    /// What a number measures.
    package enum Unit: String, Hashable, Sendable {
        case none, pixels, percent, bytes
    }

    /// A named part of a list, or a named alternative.
    package struct Item: Hashable, Sendable {
        /// A short name for people.
        package let name: String
        package let form: ValueForm

        /// Creates an item.
        package init(_ name: String, _ form: ValueForm) {
            self.name = name
            self.form = form
        }
    }

    /// A keyword that may have arguments after a colon.
    package struct Variant: Hashable, Sendable {
        package let name: String
        /// The arguments; `nil` if there are none.
        package let arguments: ValueForm?
        /// Whether the arguments can be left out.
        package let isOptional: Bool

        /// Creates a variant.
        package init(_ name: String, _ arguments: ValueForm? = nil, isOptional: Bool = false) {
            self.name = name
            self.arguments = arguments
            self.isOptional = isOptional
        }
    }

    /// A whole number.
    case integer(ClosedRange<Int>, Unit = .none)
    /// A number with a fraction.
    case decimal(ClosedRange<FixedDecimal>, Unit = .none)
    /// A number of degrees, taken modulo 360.
    case angle
    /// A keyword.
    ///
    /// - Parameter otherNames: keywords of other software by their meaning here, for corrections.
    case choice([String], otherNames: [String: String] = [:])
    /// `0` or `1`.
    case flag
    /// `rgb`, `rrggbb` or `rrggbbaa` in hexadecimal digits.
    case color
    /// Any text that begins with a prefix.
    case text(prefix: String = "")
    /// A length in pixels, or a percentage.
    case measure
    /// A compass direction, `attention`, `entropy`, `subject`, or a focal point.
    case gravity
    /// `x,y,w,h` or `WxH` in pixels or percent, or an aspect ratio `W:H`.
    case rectangle
    /// Values that a separator joins; those after the first `required` ones can be left out.
    case list([Item], required: Int, separator: String = ",")
    /// A keyword with arguments.
    case variants([Variant])
    /// One of several forms.
    case either([Item])
}

/// A parameter of the request language with its form.
package struct ParameterForm: Hashable, Sendable {
    package let name: String
    package let form: ValueForm
    /// A valid value that has an effect: what an editor starts with.
    package let example: String

    /// Creates a description.
    package init(_ name: String, _ form: ValueForm, example: String) {
        self.name = name
        self.form = form
        self.example = example
    }
}

extension ValueForm {
    /// The valid values nearest to an invalid one, best first; empty if none is near.
    ///
    /// Not validated: other rules of the parameter may refuse them.
    package func nearest(to value: String) -> [String] {
        switch self {
        case .integer(let range, _):
            guard let number = Self.number(value) else { return [] }
            return [String(min(max(number.rounded, range.lowerBound), range.upperBound))]
        case .decimal(let range, let unit):
            let isPercent = value.hasSuffix("%")
            guard let number = Self.number(value), isPercent == (unit == .percent) else { return [] }
            return [min(max(number, range.lowerBound), range.upperBound).text + (isPercent ? "%" : "")]
        case .angle:
            return Self.number(value).map { [$0.text] } ?? []
        case .choice(let names, let otherNames):
            return NearestName.of(value, among: names, otherNames: otherNames).map { [$0] } ?? []
        case .flag:
            let isOn = ["true", "yes", "on", "enabled"].contains(value.lowercased())
            let isOff = ["false", "no", "off", "none"].contains(value.lowercased())
            return isOn ? ["1"] : isOff ? ["0"] : []
        case .color:
            return Self.colors[value.lowercased()].map { [$0] } ?? []
        case .gravity:
            return NearestName.of(value, among: Gravity.names, otherNames: Gravity.otherNames).map { [$0] } ?? []
        case .list(let items, let required, let separator):
            return Self.nearest(to: value, items, required, separator)
        case .variants(let variants):
            return NearestName.of(value, among: variants.map(\.name), otherNames: ["greyscale": "grayscale"])
                .map { [$0] } ?? []
        case .either(let items):
            return items.flatMap { $0.form.nearest(to: value) }
        case .text, .measure, .rectangle:
            return []
        }
    }

    /// The number that a value begins with, as in `100px`.
    private static func number(_ value: String) -> FixedDecimal? {
        let digits = value.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
        return FixedDecimal(parsing: String(digits))
    }

    /// The list with each invalid item replaced by its nearest value, and without superfluous ones.
    private static func nearest(
        to value: String,
        _ items: [Item],
        _ required: Int,
        _ separator: String
    ) -> [String] {
        let parts = value.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= required else { return [] }
        let nearest = zip(items, parts).map { item, part in item.form.nearest(to: part).first ?? part }
        return [nearest.joined(separator: separator)]
    }

    /// Colours that people write by name.
    private static let colors = [
        "black": "000000", "white": "ffffff", "red": "ff0000", "green": "008000", "blue": "0000ff",
        "yellow": "ffff00", "orange": "ffa500", "gray": "808080", "grey": "808080", "transparent": "00000000",
    ]
}
