import ImagePlan

/// A gravity of imgproxy: a type with offsets.
struct ImgproxyGravity {
    enum Kind: Equatable {
        /// The name of a compass direction in our language.
        case compass(String)
        /// `fp`: the offsets are a point in fractions.
        case focus
        /// `sm`: libvips' smart crop.
        case smart
        /// `obj` for anything, or for faces.
        case subject
    }

    var kind: Kind = .compass("center")
    /// Pixels if the magnitude is at least 1, otherwise a fraction of the whole's side.
    var x = FixedDecimal(0)
    var y = FixedDecimal(0)

    private static let compass = [
        "ce": "center", "no": "north", "so": "south", "ea": "east", "we": "west", "noea": "northeast",
        "nowe": "northwest", "soea": "southeast", "sowe": "southwest",
    ]
    private static let offsets = FixedDecimal(-100_000)...FixedDecimal(100_000)
    private static let fractions = FixedDecimal(0)...FixedDecimal(1)

    /// Reads a type and two offsets; those that are missing keep their values, as in imgproxy.
    ///
    /// - Parameters:
    ///   - first: the index of the type among the arguments of the option.
    ///   - mayCut: whether the gravity cuts, so that what it keeps can be searched in the pixels.
    mutating func read(_ option: ImgproxyOption, from first: Int, mayCut: Bool = true) throws(RequestError) {
        let type = option.argument(first) ?? ""
        let count = option.arguments.count - first
        if let name = Self.compass[type] {
            kind = .compass(name)
        } else if type == "fp" {
            guard count == 3 else { throw option.error("takes fp:X:Y with two numbers from 0 to 1") }
            kind = .focus
        } else if type == "sm", mayCut {
            kind = .smart
        } else if type == "obj", mayCut {
            let classes = option.arguments.dropFirst(first + 1)
            guard classes.allSatisfy({ $0 == "all" || $0 == "face" }) else {
                throw option.error(
                    "finds no classes of objects but face and all; gravity=subject finds what stands out"
                )
            }
            (kind, x, y) = (.subject, FixedDecimal(0), FixedDecimal(0))
            return
        } else {
            let names = Self.compass.keys.sorted() + ["fp"] + (mayCut ? ["sm", "obj"] : [])
            throw option.error("must have a gravity, one of \(names.joined(separator: ", "))")
        }
        guard count <= (kind == .smart ? 1 : 3) else { throw option.error("has too many arguments after \(type)") }
        let range = kind == .focus ? Self.fractions : Self.offsets
        x = try option.number(first + 1, in: range) ?? x
        y = try option.number(first + 2, in: range) ?? y
        if kind == .smart { (x, y) = (FixedDecimal(0), FixedDecimal(0)) }
        // A point after a direction takes over its offsets.
        guard range.contains(x), range.contains(y) else { throw option.error("has a point beyond 0 to 1") }
    }

    /// The value of `gravity` in our language.
    ///
    /// - Parameter factor: what offsets in pixels are multiplied by.
    func text(scaledBy factor: FixedDecimal) -> String {
        switch kind {
        case .smart: return "attention"
        case .subject: return "subject"
        case .focus: return "\(x.text),\(y.text)"
        case .compass(let name):
            let zero = FixedDecimal(0)
            guard x != zero || y != zero else { return name }
            return "\(name),\(Self.measure(x, factor)),\(Self.measure(y, factor))"
        }
    }

    /// Whether the gravity is the centre without an offset.
    var isCenter: Bool {
        let half = FixedDecimal(millionths: 500_000)
        return kind == .compass("center") && x.millionths == 0 && y.millionths == 0
            || kind == .focus && x == half && y == half
    }

    private static func measure(_ offset: FixedDecimal, _ factor: FixedDecimal) -> String {
        let magnitude = FixedDecimal(millionths: abs(offset.millionths))
        guard magnitude >= FixedDecimal(1) else { return FixedDecimal(millionths: offset.millionths * 100).text + "%" }
        let length = (magnitude * factor).rounded
        return String(offset.millionths < 0 ? -length : length)
    }
}
