/// `tint`: blends one colour over the whole image (`SDImageTintTransformer`).
///
/// Without a mode, transparent areas stay transparent.
package struct TintStep: SingleParameterStep {
    package static let name = "tint"
    package static let form = ValueForm.list(
        [
            ValueForm.Item("colour", .color),
            ValueForm.Item("mode", .choice(BlendMode.allCases.map(\.rawValue), otherNames: BlendMode.otherNames)),
        ],
        required: 1
    )
    package static let example = "ff8800,multiply"

    /// The colour; its alpha is the strength.
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
        mode = parts.count == 2 ? try parts[1].keyword(otherNames: BlendMode.otherNames) : .sourceAtop
        if mode == .dest { return nil }
    }

    package var value: String { mode == .sourceAtop ? color.text : "\(color.text),\(mode.rawValue)" }

    package var makesAlpha: Bool { mode.makesAlpha(under: color.alpha) }

    package func cost(on picture: PictureShape) -> Int {
        picture.size.pixels.multipliedSaturated(by: mode.isSeparable ? 4 : 16)
    }

    /// Only opaque images are loaded at a reduced size.
    package func loadRequirement(on picture: PictureShape) -> LoadRequirement {
        mode.commutesWithScaling ? .anyScale : .fullSize
    }
}

/// A blend mode, by its libvips name if libvips has it.
///
/// The first group are the Porter–Duff operators (1984) with `add` and `saturate`, the second the separable blend modes of W3C
/// Compositing and Blending 1 §10.1, the third one of Core Graphics, the last the modes of §10.2 that are not separable.
package enum BlendMode: String, Hashable, Sendable, CaseIterable {
    case clear, source, over
    case sourceIn = "in"
    case sourceOut = "out"
    case sourceAtop = "atop"
    case dest
    case destOver = "dest-over"
    case destIn = "dest-in"
    case destOut = "dest-out"
    case destAtop = "dest-atop"
    case xor, add, saturate

    case multiply, screen, overlay, darken, lighten
    case colourDodge = "colour-dodge"
    case colourBurn = "colour-burn"
    case hardLight = "hard-light"
    case softLight = "soft-light"
    case difference, exclusion

    case plusDarker = "plus-darker"

    case hue, saturation, colour, luminosity

    /// Names of Core Graphics (`CGBlendMode`) and CSS, for suggestions, in lower case.
    static let otherNames = [
        "normal": "over", "sourceover": "over", "copy": "source", "sourcein": "in", "sourceout": "out",
        "sourceatop": "atop", "destinationover": "dest-over", "destinationin": "dest-in", "destinationout": "dest-out",
        "destinationatop": "dest-atop", "pluslighter": "add", "plus-lighter": "add", "plusdarker": "plus-darker",
        "colordodge": "colour-dodge", "color-dodge": "colour-dodge", "colorburn": "colour-burn",
        "color-burn": "colour-burn", "hardlight": "hard-light", "softlight": "soft-light", "color": "colour",
    ]

    /// Whether each value of the result depends on one value of the image and its alpha alone.
    var isSeparable: Bool {
        switch self {
        case .hue, .saturation, .colour, .luminosity: false
        default: true
        }
    }

    /// Whether blending a colour with some alpha, 0–255, can make an opaque image transparent.
    package func makesAlpha(under alpha: UInt8) -> Bool {
        switch self {
        case .clear, .sourceOut: true
        case .source, .sourceIn, .destIn, .destAtop: alpha < 255
        case .destOut, .xor: alpha > 0
        default: false
        }
    }

    /// Whether blending an opaque image commutes with scaling: values are neither clipped nor bent.
    var commutesWithScaling: Bool {
        switch self {
        case .add, .overlay, .darken, .lighten, .colourDodge, .colourBurn, .softLight, .difference,
            .plusDarker, .hue, .saturation, .colour, .luminosity:
            false
        default: true
        }
    }
}
