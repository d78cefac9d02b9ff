/// The part of an image to keep: a point, or whatever a search of the pixels finds.
package enum Gravity: Hashable, Sendable {
    /// A point in fractions of the image's width and height, 0–1; the nine compass names are points.
    case point(x: FixedDecimal, y: FixedDecimal)
    /// The most eye-catching part (libvips `VIPS_INTERESTING_ATTENTION`).
    case attention
    /// The part with the most detail (libvips `VIPS_INTERESTING_ENTROPY`).
    case entropy

    private static let half = FixedDecimal(millionths: 500_000)

    package static let center = Gravity.point(x: half, y: half)

    private static let compass: [(name: String, gravity: Gravity)] = [
        ("center", center),
        ("north", .point(x: half, y: FixedDecimal(0))),
        ("south", .point(x: half, y: FixedDecimal(1))),
        ("west", .point(x: FixedDecimal(0), y: half)),
        ("east", .point(x: FixedDecimal(1), y: half)),
        ("northwest", .point(x: FixedDecimal(0), y: FixedDecimal(0))),
        ("northeast", .point(x: FixedDecimal(1), y: FixedDecimal(0))),
        ("southwest", .point(x: FixedDecimal(0), y: FixedDecimal(1))),
        ("southeast", .point(x: FixedDecimal(1), y: FixedDecimal(1))),
    ]

    private static let otherNames = [
        "bottom": "south", "centre": "center", "down": "south", "face": "attention", "left": "west", "middle": "center",
        "right": "east", "smart": "attention", "top": "north", "up": "north",
    ]

    /// Parses a compass name, `attention`, `entropy`, or a focal point such as `0.3,0.7`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        switch parameter.value {
        case "attention": self = .attention
        case "entropy": self = .entropy
        case let name:
            if let named = Self.compass.first(where: { $0.name == name }) {
                self = named.gravity
                return
            }
            let coordinates = parameter.parts(separatedBy: ",").compactMap { FixedDecimal(parsing: $0.value) }
            let range = FixedDecimal(0)...FixedDecimal(1)
            guard name.utf8.contains(UInt8(ascii: ",")), coordinates.count == 2,
                parameter.parts(separatedBy: ",").count == 2, coordinates.allSatisfy(range.contains)
            else {
                let names = Self.compass.map(\.name) + ["attention", "entropy"]
                throw parameter.error(
                    "must be center, a compass direction (north … southeast), attention, entropy, "
                        + "or a focal point x,y with both from 0 to 1"
                        + NearestName.hint(name, among: names, otherNames: Self.otherNames)
                )
            }
            self = .point(x: coordinates[0], y: coordinates[1])
        }
    }

    /// The value in canonical form: a name if there is one, otherwise the focal point.
    package var text: String {
        if let named = Self.compass.first(where: { $0.gravity == self }) { return named.name }
        return switch self {
        case .attention: "attention"
        case .entropy: "entropy"
        case .point(let x, let y): "\(x.text),\(y.text)"
        }
    }

    /// The point; the centre for `attention` and `entropy`.
    package var pointOrCenter: (x: FixedDecimal, y: FixedDecimal) {
        if case .point(let x, let y) = self { (x, y) } else { (Self.half, Self.half) }
    }

    /// Whether the position depends on the image's pixels.
    package var needsPixels: Bool {
        switch self {
        case .point: false
        case .attention, .entropy: true
        }
    }
}
