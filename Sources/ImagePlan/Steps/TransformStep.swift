/// One step of a plan: how it is written, what it does to a picture's size, what it costs.
///
/// Never pixels. One file a step; `StepRegistry` lists them. The worker extends each concrete type with what it does to pixels.
package protocol TransformStep: Hashable, Sendable {
    /// The query parameters that state the step, in canonical order.
    static var names: [String] { get }
    /// The attributes (no steps themselves, position irrelevant, at most once) that the step reads.
    static var attributes: [String] { get }
    /// Whether each parameter is a step of its own; otherwise all `names` together are one step, each at most once.
    static var isRepeatable: Bool { get }

    /// Reads the step; `nil` where it would do nothing (`rotate=360`).
    ///
    /// `parameters` has one element for a repeatable step, else all of the step's parameters that were given.
    static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self?
    /// Checks an attribute's value by itself: a preset may hold an attribute without the step that it is for.
    static func check(attribute: Parameter) throws(RequestError)

    /// The step in canonical spelling; dpr is multiplied in already.
    var parameters: [Parameter] { get }
    /// The attributes that the step was made with, where they differ from the default and matter.
    var attributeParameters: [Parameter] { get }
    /// Whether the step makes use of an attribute of that name, which is an error where no step does.
    func uses(attribute name: String) -> Bool

    /// The picture's shape after the step; 422 where nothing would be left.
    func shape(after picture: PictureShape) throws(RequestError) -> PictureShape
    /// Whether only the pixels tell the size after the step; `shape(after:)` is then the largest that it can be.
    var sizeDependsOnPixels: Bool { get }
    /// Whether the step can leave transparent pixels in an opaque picture, where no opaque `bg` fills them.
    var makesAlpha: Bool { get }
    /// The work of the step on one frame, in units of about one cheap pass over one pixel.
    func cost(on picture: PictureShape) -> Int
    /// What the step, standing before the first resize, asks of a source that is loaded at a fraction of its size.
    func loadRequirement(on picture: PictureShape) -> LoadRequirement
    /// Another original that the step needs.
    var ingredient: IngredientPath? { get }
    /// A font's family that the step needs.
    var font: String? { get }
}

extension TransformStep {
    package static var attributes: [String] { [] }
    package static var isRepeatable: Bool { true }
    package static func check(attribute: Parameter) throws(RequestError) {}
    package var attributeParameters: [Parameter] { [] }
    package func uses(attribute name: String) -> Bool { Self.attributes.contains(name) }
    package func shape(after picture: PictureShape) throws(RequestError) -> PictureShape { picture }
    package var sizeDependsOnPixels: Bool { false }
    package var makesAlpha: Bool { false }
    package func cost(on picture: PictureShape) -> Int { picture.size.pixels }
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement { .fullSize }
    package var ingredient: IngredientPath? { nil }
    package var font: String? { nil }

    /// Whether another step, of whatever type, is the same.
    package func equals(_ other: any TransformStep) -> Bool {
        (other as? Self) == self
    }
}

/// A repeatable step that one parameter states.
package protocol SingleParameterStep: TransformStep {
    /// The parameter's name.
    static var name: String { get }
    /// Reads the step; `nil` where it would do nothing.
    init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError)
    /// The canonical value.
    var value: String { get }
}

extension SingleParameterStep {
    package static var names: [String] { [name] }

    package static func make(from parameters: [Parameter], in context: StepContext) throws(RequestError) -> Self? {
        guard let parameter = parameters.first else { return nil }
        return try Self(parsing: parameter, in: context)
    }

    package var parameters: [Parameter] { [Parameter(Self.name, value)] }
}
