import ImagePlan

/// `ro`, `flip` and `flop`: quarter turns and mirrors follow the resize, other angles come later.
struct WeservTurn {
    /// 0, 90, 180 or 270 degrees clockwise.
    let quarter: Int
    /// Another angle, clockwise; `nil` for none.
    let rotation: Int?
    /// Top to bottom, after the turn.
    let flip: Bool
    /// Left to right, after the turn.
    let flop: Bool

    init(_ request: WeservRequest) throws(RequestError) {
        let angle = try request.integer("ro", in: -999_999...999_999) ?? 0
        let within = ((angle % 360) + 360) % 360
        quarter = within.isMultiple(of: 90) ? within : 0
        rotation = within.isMultiple(of: 90) ? nil : within
        flip = try request.flag("flip")
        flop = try request.flag("flop")
    }

    /// Whether the sides change places.
    var isUpright: Bool { quarter == 90 || quarter == 270 }

    func append(to builder: inout PlanBuilder) {
        if quarter != 0 { builder.step("rotate", String(quarter), for: "ro") }
        if flip || flop { builder.step("flip", (flop ? "h" : "") + (flip ? "v" : ""), for: flip ? "flip" : "flop") }
    }

    /// Where a place of the turned picture was before, for a resize that runs first; half turns only.
    func before(_ place: WeservPlace) -> WeservPlace {
        place.mirrored(horizontally: flop != (quarter == 180), vertically: flip != (quarter == 180))
    }
}
