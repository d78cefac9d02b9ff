/// One step of a plan: its syntax, its effect on the size, and its cost.
///
/// Each step is one file, listed in `StepRegistry`. The worker extends the concrete types with the pixel work.
package protocol TransformStep: Hashable, Sendable {
    /// The query parameters of the step, in canonical order.
    static var names: [String] { get }
    /// The attributes the step reads: parameters that are no steps, may appear anywhere, and at most once.
    static var attributes: [String] { get }
    /// The forms of the parameters, in the order of `names`.
    static var forms: [ParameterForm] { get }
    /// The forms of the attributes that belong to this step, except those of `StepContext`.
    static var attributeForms: [ParameterForm] { get }
    /// Whether each parameter is a step of its own; otherwise all `names` together form one step, each at most once.
    static var isRepeatable: Bool { get }

    /// Parses the step; `nil` if it would do nothing (`rotate=360`).
    ///
    /// - Parameter parameters: one element for a repeatable step, otherwise all of the step's parameters in the request.
    /// - Throws: 400, naming the parameter.
    static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self?
    /// Validates an attribute on its own: a preset may contain an attribute without its step.
    static func check(attribute: Parameter) throws(RequestError)

    /// The step in canonical form, after dpr scaling.
    var parameters: [Parameter] { get }
    /// The attributes of the step that differ from their defaults and have an effect.
    var attributeParameters: [Parameter] { get }
    /// Whether the step uses an attribute; one that no step uses is an error.
    func uses(attribute name: String) -> Bool

    /// The image's shape after the step.
    ///
    /// - Throws: 422 if nothing would be left.
    func shape(after picture: PictureShape) throws(RequestError) -> PictureShape
    /// Whether the size after the step depends on the pixels; `shape(after:)` is then an upper bound.
    var sizeDependsOnPixels: Bool { get }
    /// Whether the step can make an opaque image transparent; an opaque `bg` prevents it.
    var makesAlpha: Bool { get }
    /// Whether a gain map can follow the step: it moves pixels, keeps right angles, and changes no colour.
    var gainMapFollows: Bool { get }
    /// The cost of the step on one frame, in units of about one cheap pass over one pixel.
    func cost(on picture: PictureShape) -> Int
    /// What the step, if it runs before the first resize, requires of a source loaded at a reduced size.
    func loadRequirement(on picture: PictureShape) -> LoadRequirement
    /// The auxiliary image the step needs.
    var auxiliary: AuxiliaryPath? { get }
    /// The font family the step needs.
    var font: String? { get }
}

extension TransformStep {
    package static var attributes: [String] { [] }
    package static var attributeForms: [ParameterForm] { [] }
    package static var isRepeatable: Bool { true }
    package static func check(attribute: Parameter) throws(RequestError) {}
    package var attributeParameters: [Parameter] { [] }
    package func uses(attribute name: String) -> Bool { Self.attributes.contains(name) }
    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape { picture }
    package var sizeDependsOnPixels: Bool { false }
    package var makesAlpha: Bool { false }
    package var gainMapFollows: Bool { false }
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels }
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement { .fullSize }
    package var auxiliary: AuxiliaryPath? { nil }
    package var font: String? { nil }

    /// Whether another step, of any type, is equal.
    package func equals(_ other: any TransformStep) -> Bool {
        (other as? Self) == self
    }
}

/// A repeatable step with a single parameter.
package protocol SingleParameterStep: TransformStep {
    /// The parameter's name.
    static var name: String { get }
    /// The value's form.
    static var form: ValueForm { get }
    /// A valid value that has an effect.
    static var example: String { get }
    /// Parses the step; `nil` if it would do nothing.
    init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError)
    /// The value in canonical form.
    var value: String { get }
}

extension SingleParameterStep {
    package static var names: [String] { [name] }
    package static var forms: [ParameterForm] { [ParameterForm(name, form, example: example)] }

    package static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self? {
        guard let parameter = parameters.first else { return nil }
        return try Self(parsing: parameter, in: context)
    }

    package var parameters: [Parameter] { [Parameter(Self.name, value)] }
}
