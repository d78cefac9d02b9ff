import HTTPKit
import ImagePlan

/// `X-Animation`: what became of an animation's frames, told with every answer that is made from one.
enum AnimationField {
    private static let name = "X-Animation"

    /// Appends the field; `CrossOrigin` lets scripts of other sites read it.
    static func append(_ outcome: AnimationOutcome, to block: inout FieldBlock) {
        block.append(name, outcome.text)
    }
}
