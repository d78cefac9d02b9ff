/// An EXIF orientation: how stored pixels must be rotated and mirrored to be upright (CIPA DC-008, tag 0x0112).
struct Orientation: Equatable {
    /// Clockwise quarter turns, applied first.
    let quarterTurns: Int
    /// Whether the result is then mirrored horizontally.
    let isMirrored: Bool

    static let upright = Orientation(exif: 1)

    /// Creates an orientation from a tag's value; invalid values are upright.
    init(exif value: Int) {
        switch value {
        case 2: (quarterTurns, isMirrored) = (0, true)
        case 3: (quarterTurns, isMirrored) = (2, false)
        case 4: (quarterTurns, isMirrored) = (2, true)
        case 5: (quarterTurns, isMirrored) = (1, true)
        case 6: (quarterTurns, isMirrored) = (1, false)
        case 7: (quarterTurns, isMirrored) = (3, true)
        case 8: (quarterTurns, isMirrored) = (3, false)
        default: (quarterTurns, isMirrored) = (0, false)
        }
    }

    var isUpright: Bool { self == .upright }
    /// Whether width and height are swapped.
    var swapsSides: Bool { !quarterTurns.isMultiple(of: 2) }
}
