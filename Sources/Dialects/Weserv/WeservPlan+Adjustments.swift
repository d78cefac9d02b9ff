import ImagePlan

extension WeservPlan {
    /// Brightness, modulation, contrast, gamma, sharpening, filters and blur, in that order.
    mutating func appendAdjustments() throws(RequestError) {
        if let brightness = try request.integer("bri", in: -100...100) {
            builder.step("offset", FixedDecimal(millionths: brightness * 2_550_000).text, for: "bri")
        }
        try appendModulation()
        if let contrast = try request.integer("con", in: -100...100), contrast != 0 {
            builder.step("contrast", Self.contrastFactor(contrast).text, for: "con")
        }
        if let gamma = request.options["gam"] {
            // Raises values to gamma, where ours raises them to its reciprocal.
            let exponent = try request[gamma.name]?.decimal(in: 1...3) ?? FixedDecimal(millionths: 2_200_000)
            builder.step("gamma", FixedDecimal(1 / exponent.value).text, for: gamma.name)
        }
        try appendSharpening()
        try appendFilter()
        if let blur = request.options["blur"] {
            // Without a value, the mean of 3 × 3 pixels, whose standard deviation is √(2⁄3).
            let sigma = try request[blur.name]?.decimal(in: FixedDecimal.leastSigma...FixedDecimal(1_000))
            builder.step("blur", (sigma ?? FixedDecimal(millionths: 816_497)).text, for: blur.name)
        }
        // The colour's own opacity has no effect, except that an invisible one tints nothing.
        if let tint = request["tint"], let color = try request.color(tint.name), color.alpha > 0 {
            let opaque = Color(red: color.red, green: color.green, blue: color.blue)
            builder.step("filter", "chroma:\(opaque.text)", for: tint.name)
        }
    }

    /// `mod=brightness,saturation,hue`, `sat` and `hue`.
    private mutating func appendModulation() throws(RequestError) {
        var values: [OptionValue?] = [nil, request["sat"], request["hue"]]
        if let stated = request["mod"] {
            let parts = stated.text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count <= 3 else { throw stated.error("must be brightness,saturation,hue") }
            for (index, part) in parts.enumerated() {
                guard values[index] == nil else { throw stated.error("states what \(index == 1 ? "sat" : "hue") does") }
                values[index] = OptionValue(name: stated.name, text: String(part))
            }
        }
        for (value, name) in zip(values, ["brightness", "saturation"]) {
            guard let value else { continue }
            builder.step(name, try value.decimal(in: 0...10_000).text, for: value.name)
        }
        guard let hue = values[2] else { return }
        builder.step("hue", try hue.decimal(in: -999_999...999_999).text, for: hue.name)
    }

    /// The slope in mid-grey of the sigmoidal curve that weserv applies.
    ///
    /// With β = 0.3 × |con| it is (β⁄4) ÷ tanh(β⁄4), and for negative values the reciprocal.
    private static func contrastFactor(_ contrast: Int) -> FixedDecimal {
        let quarter = 0.3 * Double(abs(contrast)) / 4
        let power = MathFunctions.power(2.718_281_828_459_045, 2 * quarter)
        let slope = quarter * (power + 1) / (power - 1)
        return FixedDecimal(contrast > 0 ? slope : 1 / slope)
    }

    /// `sharp`, perhaps as flat,jagged,sigma; the slopes are those of libvips.
    private mutating func appendSharpening() throws(RequestError) {
        guard let sharp = request.options["sharp"] else { return }
        var parts = sharp.text.split(separator: ",").map { OptionValue(name: sharp.name, text: String($0)) }
        let sigma = parts.popLast()
        let slopes = [("sharpf", 1), ("sharpj", 2)]
        for (index, slope) in slopes.enumerated() {
            guard let stated = index < parts.count ? parts[index] : request[slope.0] else { continue }
            guard try stated.decimal(in: 0...1_000_000) == FixedDecimal(slope.1) else {
                throw stated.error("cannot be said, except for sharpf=1 and sharpj=2: sharp takes a sigma")
            }
        }
        guard parts.count <= 2 else { throw sharp.error("must be a sigma") }
        let least = FixedDecimal(millionths: 1)
        // Without a value, a mild kernel of 3 × 3 pixels.
        let stated = try sigma?.decimal(in: least...FixedDecimal(10)) ?? FixedDecimal(millionths: 500_000)
        builder.step("sharpen", max(stated, .leastSigma).text, for: sharp.name)
    }

    private mutating func appendFilter() throws(RequestError) {
        let start = try request.color("start") ?? Color(red: 200, green: 54, blue: 88)
        let stop = try request.color("stop") ?? Color(red: 216, green: 231, blue: 79)
        guard let filter = request["filt"] else { return }
        let ours: String? = try filter.keyword([
            "greyscale": "grayscale", "sepia": "sepia", "negate": "invert",
            "duotone": "duotone:\(start.text),\(stop.text)", "none": nil,
        ])
        if let ours { builder.step("filter", ours, for: filter.name) }
    }
}
