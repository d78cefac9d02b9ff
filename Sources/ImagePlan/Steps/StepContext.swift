/// The attributes of a request, parsed once and shared by the steps that use them.
package struct StepContext: Sendable {
    /// The attribute that scales every length in pixels except those of `crop`.
    package static let dprName = "dpr"
    package static let gravityName = "gravity"
    private static let dprRange = FixedDecimal(1)...FixedDecimal(4)

    /// The forms of the attributes that several steps share.
    package static let forms = [
        ParameterForm(gravityName, .gravity, example: "north"),
        ParameterForm(dprName, .decimal(dprRange), example: "2"),
    ]

    /// 1–4.
    package let dpr: FixedDecimal
    package let gravity: Gravity
    private let attributes: [String: Parameter]

    /// Parses the shared attributes and keeps the others for the steps they belong to.
    package init(attributes: [Parameter] = []) throws(RequestError) {
        var byName: [String: Parameter] = [:]
        for attribute in attributes { byName[attribute.name] = attribute }
        self.attributes = byName
        dpr = try byName[Self.dprName]?.decimal(in: Self.dprRange) ?? FixedDecimal(1)
        if let parameter = byName[Self.gravityName] {
            gravity = try Gravity(parsing: parameter)
        } else {
            gravity = .center
        }
    }

    /// An attribute as given.
    package subscript(name: String) -> Parameter? { attributes[name] }

    /// A length multiplied by dpr.
    ///
    /// - Throws: 400, naming `dpr`, if the product exceeds `limit`.
    package func scaled(
        _ length: FixedDecimal,
        of parameter: Parameter,
        atMost limit: Int
    ) throws(RequestError) -> FixedDecimal {
        let scaled = length * dpr
        guard scaled <= FixedDecimal(limit) else {
            throw RequestError(
                parameter: Self.dprName,
                reason: "\(dpr.text) times \(parameter.name)=\(length.text) exceeds \(limit)"
            )
        }
        return scaled
    }
}
