/// How a colour is put over a picture: libvips' blend modes by their names there.
///
/// The first group are the operators of Porter and Duff (1984) with `add` and `saturate`, the second the separable blend modes of
/// W3C Compositing and Blending 1 §10.
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

    /// Whether an opaque picture can come out transparent under a colour of some alpha, 0–255.
    package func makesAlpha(under alpha: UInt8) -> Bool {
        switch self {
        case .clear, .sourceOut: true
        case .source, .sourceIn, .destIn, .destAtop: alpha < 255
        case .destOut, .xor: alpha > 0
        default: false
        }
    }

    /// Whether an opaque picture may be scaled before or after: values are neither clipped nor bent.
    var commutesWithScaling: Bool {
        switch self {
        case .add, .overlay, .darken, .lighten, .colourDodge, .colourBurn, .softLight, .difference: false
        default: true
        }
    }
}
