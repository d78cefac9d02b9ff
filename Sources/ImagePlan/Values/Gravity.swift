/// The part of an image to keep: a point, or whatever a search of the pixels finds.
package enum Gravity: Hashable, Sendable {
    /// A point in fractions of the image's width and height, 0–1; the nine compass names are points.
    case point(x: FixedDecimal, y: FixedDecimal)
    /// A compass point, moved away from the edges that it names; in the middle of an axis to the right or down.
    case offset(x: FixedDecimal, y: FixedDecimal, by: Offset)
    /// A point in pixels of the image, 0–1,000,000; for a resize, of the image before it is scaled. Beyond the image is its edge.
    case pixels(x: Int, y: Int)
    /// The most eye-catching part (libvips `VIPS_INTERESTING_ATTENTION`).
    case attention
    /// The part with the most detail (libvips `VIPS_INTERESTING_ENTROPY`).
    case entropy
    /// The part that keeps the most of the subject, found by the worker's own search.
    case subject

    /// The distance from a compass point, negative towards the edge; percent refer to the sides of the whole.
    package struct Offset: Hashable, Sendable {
        package let x: Measure
        package let y: Measure

        /// Creates an offset.
        package init(x: Measure, y: Measure) {
            self.x = x
            self.y = y
        }

        fileprivate var isZero: Bool { x.isZero && y.isZero }
        fileprivate var text: String { "\(x.text),\(y.text)" }
    }

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

    /// All names, for suggestions.
    package static let names = compass.map(\.name) + ["attention", "entropy", "subject"]

    static let otherNames = [
        "bottom": "south", "centre": "center", "down": "south", "face": "subject", "faces": "subject", "left": "west",
        "middle": "center", "right": "east", "smart": "attention", "top": "north", "up": "north",
    ]

    /// Parses a compass name, one with an offset such as `southeast,16,5%`, `attention`, `entropy`, `subject`, or a focal point such
    /// as `0.3,0.7` or `120px,80px`.
    package init(parsing parameter: Parameter) throws(RequestError) {
        switch parameter.value {
        case "attention": self = .attention
        case "entropy": self = .entropy
        case "subject": self = .subject
        case let name:
            if let named = Self.compass.first(where: { $0.name == name }) {
                self = named.gravity
                return
            }
            let parts = parameter.parts(separatedBy: ",")
            if let named = Self.compass.first(where: { $0.name == parts[0].value }), parts.count == 3 {
                self = named.gravity.moved(
                    by: Offset(
                        x: try Measure(coordinate: parts[1]),
                        y: try Measure(coordinate: parts[2])
                    )
                )
                return
            }
            if let point = Self.pixelPoint(parts) {
                self = point
                return
            }
            let coordinates = parts.compactMap { FixedDecimal(parsing: $0.value) }
            let range = FixedDecimal(0)...FixedDecimal(1)
            guard name.utf8.contains(UInt8(ascii: ",")), coordinates.count == 2,
                parts.count == 2, coordinates.allSatisfy(range.contains)
            else {
                throw parameter.error(
                    "must be center or a compass direction (north … southeast), also with an offset such as north,0,10, "
                        + "attention, entropy, subject, or a focal point x,y with both from 0 to 1, or in pixels such as 120px,80px"
                        + NearestName.hint(name, among: Self.names, otherNames: Self.otherNames)
                )
            }
            self = .point(x: coordinates[0], y: coordinates[1])
        }
    }

    /// Parses `120px,80px`; `nil` for anything else.
    private static func pixelPoint(_ parts: [Parameter]) -> Gravity? {
        let coordinates = parts.compactMap { part in
            part.value.hasSuffix("px")
                ? try? Parameter(part.name, String(part.value.dropLast(2))).integer(in: 0...Measure.longestSide) : nil
        }
        return parts.count == 2 && coordinates.count == 2 ? .pixels(x: coordinates[0], y: coordinates[1]) : nil
    }

    /// The value in canonical form: a name if there is one, otherwise the focal point.
    package var text: String {
        if let named = Self.compass.first(where: { $0.gravity == self }) { return named.name }
        return switch self {
        case .attention: "attention"
        case .entropy: "entropy"
        case .subject: "subject"
        case .point(let x, let y): "\(x.text),\(y.text)"
        case .offset(let x, let y, let offset): "\(Gravity.point(x: x, y: y).text),\(offset.text)"
        case .pixels(let x, let y): "\(x)px,\(y)px"
        }
    }

    /// The compass point moved by an offset.
    private func moved(by offset: Offset) -> Gravity {
        guard case .point(let x, let y) = self, !offset.isZero else { return self }
        return .offset(x: x, y: y, by: offset)
    }

    /// The gravity with an offset in pixels multiplied by `dpr`.
    package func scaled(by dpr: FixedDecimal) -> Gravity {
        guard case .offset(let x, let y, let offset) = self else { return self }
        return .offset(x: x, y: y, by: Offset(x: offset.x.scaled(by: dpr), y: offset.y.scaled(by: dpr)))
    }

    /// The gravity with a point in pixels as fractions of an image.
    package func inFractions(of picture: PixelSize) -> Gravity {
        guard case .pixels(let x, let y) = self else { return self }
        func fraction(_ coordinate: Int, of side: Int) -> FixedDecimal {
            FixedDecimal(millionths: min(1_000_000, coordinate * 1_000_000 / side))
        }
        return .point(x: fraction(x, of: picture.width), y: fraction(y, of: picture.height))
    }

    /// The top left corner of a part within a whole: as close to the gravity as fits, the centre if it is searched in the pixels.
    ///
    /// - Parameters:
    ///   - part: the size of the part, not larger than the whole.
    ///   - start: the start of an interval of a length within a side, by the fraction of the side.
    package func corner(
        of part: PixelSize,
        in whole: PixelSize,
        start: (_ length: Int, _ side: Int, _ fraction: FixedDecimal) -> Int
    ) -> (left: Int, top: Int) {
        let (x, y, offset): (FixedDecimal, FixedDecimal, Offset?) =
            switch inFractions(of: whole) {
            case .point(let x, let y): (x, y, nil)
            case .offset(let x, let y, let offset): (x, y, offset)
            case .pixels, .attention, .entropy, .subject: (Self.half, Self.half, nil)
            }
        func place(_ length: Int, _ side: Int, _ fraction: FixedDecimal, _ measure: Measure?) -> Int {
            let distance = measure?.coordinate(in: side) ?? 0
            let inward = fraction == FixedDecimal(1) ? -distance : distance
            return max(0, min(side - length, start(length, side, fraction) + inward))
        }
        return (place(part.width, whole.width, x, offset?.x), place(part.height, whole.height, y, offset?.y))
    }

    /// The top left corner of an image on a canvas that is not smaller: the gravity's share of the room that is left.
    package func corner(of picture: PixelSize, onCanvas canvas: PixelSize) -> (left: Int, top: Int) {
        corner(of: picture, in: canvas) { length, side, fraction in
            // A half rounds down, as in crops.
            (fraction.millionths * (side - length) + 499_999).flooredQuotient(1_000_000)
        }
    }

    /// Whether the position depends on the image's pixels.
    package var needsPixels: Bool {
        switch self {
        case .point, .offset, .pixels: false
        case .attention, .entropy, .subject: true
        }
    }

    /// The cost of a search in an image, in units of one cheap pass over one pixel; 0 for places that need none.
    ///
    /// That of `subject` is mostly the search for faces, in a copy of at most 320 pixels per side.
    package func searchCost(in picture: PixelSize) -> Int {
        switch self {
        case .point, .offset, .pixels: 0
        case .attention, .entropy: picture.pixels.multipliedSaturated(by: 4)
        case .subject:
            picture.pixels.multipliedSaturated(by: 4).addingSaturated(min(picture.pixels, 320 * 240) * Self.faceSearch)
        }
    }

    /// The cost of the search for faces per pixel of the copy: 0.3 µs, 23 ms in all.
    ///
    /// Whether workers have a cascade is not known here.
    private static let faceSearch = 60
}
