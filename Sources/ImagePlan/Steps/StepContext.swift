/// The attributes of a request while its steps are read: the values that steps share, read once.
package struct StepContext: Sendable {
    /// The attribute that multiplies every length in pixels but those of `crop`.
    package static let dprName = "dpr"
    package static let gravityName = "gravity"
    private static let dprRange = FixedDecimal(1)...FixedDecimal(4)

    /// 1–4.
    package let dpr: FixedDecimal
    package let gravity: Gravity
    private let attributes: [String: Parameter]

    /// Reads the shared attributes, and keeps the others for the steps that they are for.
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

    /// An attribute as it was given.
    package subscript(name: String) -> Parameter? { attributes[name] }

    /// A length times dpr; 400 naming dpr where that leaves the length's own range.
    package func scaled(
        _ length: FixedDecimal,
        of parameter: Parameter,
        atMost limit: Int
    ) throws(RequestError) -> FixedDecimal {
        let scaled = length * dpr
        guard scaled <= FixedDecimal(limit) else {
            throw RequestError(
                parameter: Self.dprName,
                reason: "\(dpr.text) times \(parameter.name)=\(length.text) is more than \(limit)"
            )
        }
        return scaled
    }
}
