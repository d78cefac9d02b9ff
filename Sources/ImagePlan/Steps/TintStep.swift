/// `tint`: one colour over the whole picture (SDImageTintTransformer).
///
/// Without a mode the picture keeps its shape: what is transparent stays so.
package struct TintStep: SingleParameterStep {
    package static let name = "tint"

    /// Its alpha is how strongly it is laid on.
    package let color: Color
    package let mode: BlendMode

    /// Creates the step.
    package init(color: Color, mode: BlendMode = .sourceAtop) {
        self.color = color
        self.mode = mode
    }

    package init?(parsing parameter: Parameter, in context: StepContext) throws(RequestError) {
        let parts = parameter.parts(separatedBy: ",")
        guard parts.count <= 2 else {
            throw parameter.error("must be a colour, or a colour and a mode as in ff8800,multiply")
        }
        color = try Color(parsing: parts[0])
        mode = parts.count == 2 ? try parts[1].keyword() : .sourceAtop
        if mode == .dest { return nil }
    }

    package var value: String { mode == .sourceAtop ? color.text : "\(color.text),\(mode.rawValue)" }

    package var makesAlpha: Bool { mode.makesAlpha(under: color.alpha) }

    package func cost(on picture: PictureShape) -> Int { picture.size.pixels.multipliedSaturated(by: 4) }

    /// Only opaque pictures are loaded smaller.
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        mode.commutesWithScaling ? .anyScale : .fullSize
    }
}
