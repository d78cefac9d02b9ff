import ImagePlan

/// The plan of a weserv request, in that server's order: trim, resize, turn, crop, letterbox, rotation, adjustments, mask.
struct WeservPlan {
    let request: WeservRequest
    var builder = PlanBuilder()
    /// Whether the steps so far leave parts of an opaque picture transparent.
    private var isBare = false

    init(_ request: WeservRequest) { self.request = request }

    /// The parameters of our language.
    mutating func parameters() throws(RequestError) -> [Parameter] {
        if let trim = request.options["trim"], trim.text != "0" {
            builder.step("trim", String(trim.text.isEmpty ? 10 : try trim.integer(in: 1...254)), for: "trim")
        }
        if let background = request["tbg"] {
            throw background.error("cannot be said: trim takes the colour of the top left pixel")
        }
        let turn = try WeservTurn(request)
        let resize = try WeservResize(request, turn)
        let cropsFirst = try request.flag("precrop")
        let isParted = !cropsFirst && (hasCrop || turn.isUpright)
        if cropsFirst {
            turn.append(to: &builder)
            try appendCrop()
            try resize.append(to: &builder, turned: false, isParted: false)
        } else {
            try resize.append(to: &builder, turned: true, isParted: isParted)
            turn.append(to: &builder)
            try resize.appendCut(to: &builder)
            try appendCrop()
        }
        try resize.appendCanvas(to: &builder, isParted: isParted)
        if resize.hasCanvas { try fill(with: "cbg") }
        if let angle = turn.rotation {
            builder.step("rotate", String(angle), for: "ro")
            try fill(with: "rbg")
        }
        try appendAdjustments()
        try setBackground("bg")
        try appendMask(resize, turn)
        try setOutput(makesAlpha: isBare)
        return try builder.parameters()
    }

    /// Lays a colour under what the last step has left transparent.
    private mutating func fill(with name: String) throws(RequestError) {
        isBare = true
        try setBackground(name)
    }

    private mutating func setBackground(_ name: String) throws(RequestError) {
        guard let color = try request.color(name) else { return }
        builder.setBackground(color, for: name)
        if color.isOpaque { isBare = false }
    }

    private static let cropSides = ["cx", "cy", "cw", "ch"]

    private var hasCrop: Bool { (["crop"] + Self.cropSides).contains { request[$0] != nil } }

    /// `cx`, `cy`, `cw`, `ch`, or the older `crop=w,h,x,y`.
    private mutating func appendCrop() throws(RequestError) {
        if let crop = request["crop"] {
            let parts = crop.text.split(separator: ",", omittingEmptySubsequences: false)
            var sides: [Int] = []
            for part in parts {
                sides.append(try OptionValue(name: crop.name, text: String(part)).integer(in: 0...Measure.longestSide))
            }
            guard sides.count == 4 else { throw crop.error("must be w,h,x,y in pixels") }
            if let side = Self.cropSides.first(where: { request[$0] != nil }) {
                throw RequestError(
                    parameter: side,
                    reason: "cannot be combined with crop, which states the whole rectangle"
                )
            }
            builder.step("crop", "\(sides[2]),\(sides[3]),\(sides[0]),\(sides[1])", for: crop.name)
            return
        }
        guard hasCrop else { return }
        // A negative corner of our own counts from the other side.
        for side in Self.cropSides.compactMap({ request[$0] }) where side.text.hasPrefix("-") {
            throw side.error("must not be negative")
        }
        let values = [("cx", "0"), ("cy", "0"), ("cw", "100%"), ("ch", "100%")].map { request[$0.0]?.text ?? $0.1 }
        let name = Self.cropSides.first { request[$0] != nil } ?? "cx"
        builder.step("crop", values.joined(separator: ","), for: name)
    }

    /// A shape, whose outside is `mbg` or transparent; `mtrim` cuts it off where the size of the picture is known.
    private mutating func appendMask(_ resize: WeservResize, _ turn: WeservTurn) throws(RequestError) {
        let isTrimmed = try request.flag("mtrim")
        guard let mask = request["mask"] else { return }
        let shape = try mask.keyword(WeservMask.shapes)
        guard let shape else { return }
        let size = turn.rotation == nil && !hasCrop ? resize.knownSize : nil
        shape.append(to: &builder, for: mask.name)
        if isTrimmed, shape.name != "ellipse" {
            guard let size else {
                throw RequestError(
                    parameter: "mtrim",
                    reason: "cannot be said unless w, h and fit=cover or fill state the size; use crop"
                )
            }
            builder.step("crop", shape.bounds(in: size), for: "mtrim")
        }
        try fill(with: "mbg")
    }
}
