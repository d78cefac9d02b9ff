import ImagePlan

/// `gravity`: a side, a point, or what is searched for; the centre without one.
struct CloudflareGravity {
    /// The value of our `gravity`.
    let value: String

    init(_ request: CloudflareRequest) throws(RequestError) {
        guard let stated = request["gravity"] else {
            value = "center"
            return
        }
        let searched = ["auto": "attention", "face": "subject", "center": "center"]
        if let name = searched[stated.text] {
            value = name
            return
        }
        // A side is a point of the original, too.
        let sides = ["left": "0x0.5", "right": "1x0.5", "top": "0.5x0", "bottom": "0.5x1"]
        let parts = (sides[stated.text] ?? stated.text).split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw stated.error("must be auto, face, left, right, top, bottom, or a point such as 0.3x0.7")
        }
        let share = FixedDecimal(0)...FixedDecimal.one
        let x = try OptionValue(name: stated.name, text: String(parts[0])).decimal(in: share)
        let y = try OptionValue(name: stated.name, text: String(parts[1])).decimal(in: share)
        let point = Self.turned(x, y, request)
        value = "\(point.x.text),\(point.y.text)"
    }

    /// Where a point of the original lies after `flip` and `rotate`.
    private static func turned(
        _ x: FixedDecimal,
        _ y: FixedDecimal,
        _ request: CloudflareRequest
    ) -> (x: FixedDecimal, y: FixedDecimal) {
        func opposite(_ share: FixedDecimal) -> FixedDecimal { FixedDecimal(millionths: 1_000_000 - share.millionths) }
        let flip = request["flip"]?.text ?? ""
        let (x, y) = (flip.contains("h") ? opposite(x) : x, flip.contains("v") ? opposite(y) : y)
        return switch request["rotate"]?.text {
        case "90": (opposite(y), x)
        case "180": (opposite(x), opposite(y))
        case "270": (y, opposite(x))
        default: (x, y)
        }
    }
}
