import HTTPKit
import ImagePlan

/// `X-Animation`: the frames that were kept, in every response made from an animation.
enum AnimationField {
    private static let name = "X-Animation"

    /// Appends the field, which `CrossOrigin` exposes to scripts.
    static func append(_ outcome: AnimationOutcome, to block: inout FieldBlock) {
        block.append(name, outcome.text)
    }
}
