import ImagePlan

/// `a`, `fpx` and `fpy`: the part of the picture that a crop keeps, or where a letterbox puts it.
enum WeservPlace {
    case point(x: FixedDecimal, y: FixedDecimal)
    /// `entropy` or `attention`.
    case searched(String)

    init(_ request: WeservRequest) throws(RequestError) {
        let half = FixedDecimal(millionths: 500_000)
        guard let stated = request["a"] else {
            self = .point(x: half, y: half)
            return
        }
        if let place = Self.focal(stated) {
            self = place
            return
        }
        let (zero, one) = (FixedDecimal(0), FixedDecimal.one)
        self = try stated.keyword([
            "center": .point(x: half, y: half), "top": .point(x: half, y: zero), "bottom": .point(x: half, y: one),
            "left": .point(x: zero, y: half), "right": .point(x: one, y: half),
            "top-left": .point(x: zero, y: zero), "top-right": .point(x: one, y: zero),
            "bottom-left": .point(x: zero, y: one), "bottom-right": .point(x: one, y: one),
            "entropy": .searched("entropy"), "attention": .searched("attention"),
            "focal": .point(
                x: try request.decimal("fpx", in: 0...1) ?? half,
                y: try request.decimal("fpy", in: 0...1) ?? half
            ),
            // Before version 4 of the API.
            "t": .point(x: half, y: zero), "b": .point(x: half, y: one), "l": .point(x: zero, y: half),
            "r": .point(x: one, y: half),
        ])
    }

    /// The older `focal-25-75` and `crop-25-75`, in percent.
    private static func focal(_ stated: OptionValue) -> WeservPlace? {
        let parts = stated.text.split(separator: "-")
        guard parts.count == 3, ["focal", "crop"].contains(String(parts[0])) else { return nil }
        let shares = parts.dropFirst().compactMap { part in
            Int(part).flatMap { (0...100).contains($0) ? FixedDecimal(millionths: $0 * 10_000) : nil }
        }
        return shares.count == 2 ? .point(x: shares[0], y: shares[1]) : nil
    }

    func mirrored(horizontally: Bool, vertically: Bool) -> WeservPlace {
        guard case .point(let x, let y) = self else { return self }
        func turned(_ share: FixedDecimal) -> FixedDecimal { FixedDecimal(millionths: 1_000_000 - share.millionths) }
        return .point(x: horizontally ? turned(x) : x, y: vertically ? turned(y) : y)
    }

    /// The value of our `gravity`.
    var gravity: String {
        switch self {
        case .searched(let name): name
        case .point(let x, let y): "\(x.text),\(y.text)"
        }
    }
}
