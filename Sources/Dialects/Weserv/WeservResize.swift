import ImagePlan

/// `w`, `h`, `dpr`, `fit`, `we` and `a`.
struct WeservResize {
    /// A side of the box.
    private enum Side {
        case pixels(Int)
        case percent(FixedDecimal)

        var text: String {
            switch self {
            case .pixels(let pixels): String(pixels)
            case .percent(let percent): percent.text + "%"
            }
        }

        var pixels: Int? { if case .pixels(let pixels) = self { pixels } else { nil } }
    }

    private enum Fit { case inside, outside, cover, fill, contain }

    private let width: Side?
    private let height: Side?
    private let fit: Fit
    private let enlarges: Bool
    private let place: WeservPlace
    private let turn: WeservTurn

    init(_ request: WeservRequest, _ turn: WeservTurn) throws(RequestError) {
        let ratio = try request.decimal("dpr", in: 0...8) ?? .one
        width = try Self.side("w", request, ratio)
        height = try Self.side("h", request, ratio)
        let fit = try request["fit"]?.keyword(Self.fits) ?? (.inside, false)
        self.fit = fit.0
        let isLimited = try request.flag("we")
        enlarges = !fit.1 && !isLimited
        place = try WeservPlace(request)
        self.turn = turn
    }

    /// The names with those before version 5; the flag is `we`.
    private static let fits: KeyValuePairs<String, (Fit, Bool)> = [
        "inside": (.inside, false), "outside": (.outside, false), "cover": (.cover, false), "fill": (.fill, false),
        "contain": (.contain, false), "fit": (.inside, true), "fitup": (.inside, false), "square": (.cover, false),
        "squaredown": (.cover, true), "crop": (.cover, false), "absolute": (.fill, false),
        "letterbox": (.contain, false),
    ]

    /// Zero is as good as none.
    private static func side(
        _ name: String,
        _ request: WeservRequest,
        _ ratio: FixedDecimal
    ) throws(RequestError) -> Side? {
        guard let stated = request[name] else { return nil }
        if stated.text.hasSuffix("%") {
            let percent = OptionValue(name: stated.name, text: String(stated.text.dropLast()))
            let scaled = try percent.decimal(in: 0...100) * ratio
            return scaled.millionths == 0 ? nil : .percent(scaled)
        }
        let scaled = (FixedDecimal(try stated.integer(in: 0...100_000)) * ratio).rounded
        return scaled == 0 ? nil : .pixels(scaled)
    }

    /// Whether the picture stands on a canvas, which it may fill.
    var hasCanvas: Bool { fit == .contain && (width != nil || height != nil) && (isBoxed || !enlarges) }

    private var isBoxed: Bool { width != nil && height != nil }

    /// The size of the result, where the request alone states it.
    var knownSize: PixelSize? {
        guard enlarges, !turn.isUpright, [.cover, .fill, .contain].contains(fit), let width = width?.pixels,
            let height = height?.pixels
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Appends the resize.
    ///
    /// - Parameters:
    ///   - turned: whether turns and mirrors follow.
    ///   - isParted: whether something comes between the resize and the canvas of `contain`.
    func append(to builder: inout PlanBuilder, turned: Bool, isParted: Bool) throws(RequestError) {
        guard width != nil || height != nil else { return }
        let isFilled = fit == .fill
        if let side = width?.text ?? (isFilled ? "100%" : nil) { builder.step("w", side, for: "w") }
        if let side = height?.text ?? (isFilled ? "100%" : nil) { builder.step("h", side, for: "h") }
        if enlarges { try builder.set("enlarge", "1", for: "we") }
        guard width != nil, height != nil || isFilled else {
            if isFilled { try builder.set("fit", "fill", for: "fit") }
            return
        }
        let placed = turned ? turn.before(place) : place
        switch fit {
        case .inside: break
        case .outside: try builder.set("fit", "outside", for: "fit")
        case .fill: try builder.set("fit", "fill", for: "fit")
        case .cover where turned && turn.isUpright:
            try builder.set("fit", "outside", for: "fit")
        case .cover:
            try builder.set("fit", enlarges ? "cover" : "crop", for: enlarges ? "fit" : "we")
            try builder.set("gravity", placed.gravity, for: "a")
        case .contain where isParted: break
        case .contain:
            try builder.set("fit", "pad", for: "fit")
            if case .point = placed { try builder.set("gravity", placed.gravity, for: "a") }
        }
    }

    /// Appends the crop of `cover` after a quarter turn.
    func appendCut(to builder: inout PlanBuilder) throws(RequestError) {
        guard fit == .cover, turn.isUpright, let width, let height else { return }
        try checkPixels("cover")
        builder.step("crop", "\(width.text)x\(height.text),\(place.gravity)", for: "fit")
    }

    /// Appends the canvas of `contain`, unless the resize makes it; it cuts what is larger.
    func appendCanvas(to builder: inout PlanBuilder, isParted: Bool) throws(RequestError) {
        guard fit == .contain, width != nil || height != nil, isParted || !isBoxed && !enlarges else { return }
        try checkPixels("contain")
        // What is searched for has no meaning on a canvas.
        let gravity = if case .point = place { "," + place.gravity } else { "" }
        let size = "\(width?.text ?? "100%")x\(height?.text ?? "100%")\(gravity)"
        if isParted { builder.step("crop", size, for: "fit") }
        builder.step("pad", size, for: "fit")
    }

    private func checkPixels(_ fit: String) throws(RequestError) {
        for side in [width, height] where side != nil && side?.pixels == nil {
            throw RequestError(parameter: "fit", reason: "cannot be \(fit) with sides in percent here")
        }
    }
}
