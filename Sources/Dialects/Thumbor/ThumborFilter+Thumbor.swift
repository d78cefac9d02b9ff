import ImagePlan

extension ThumborFilter {
    /// The filters of thumbor.
    static let thumbor: [String: Meaning] = common.merging([
        "format": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let format = try filter.argument(0).keyword([
                "jpeg": "jpeg", "jpg": "jpeg", "png": "png", "gif": "gif", "webp": "webp", "avif": "avif",
            ])
            try plan.builder.set("format", format, for: filter.name)
        },
        "blur": Meaning(arguments: 1...2) { filter, plan throws(RequestError) in
            let radius = try filter.argument(0).integer(in: 1...100_000)
            let sigma = try filter[1]?.decimal(in: 0...100_000) ?? FixedDecimal(0)
            let stated = sigma.millionths == 0 ? Double(radius) : sigma.value
            let effective = FixedDecimal(ThumborBlur.deviation(radius: min(radius, 150), sigma: stated))
            plan.builder.step("blur", max(effective, .leastSigma).text, for: filter.name)
        },
        "contrast": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            // The square of (100 + amount) percent, in whole percent.
            let share = try filter.argument(0).integer(in: -100...100) + 100
            plan.builder.step("contrast", FixedDecimal(millionths: share * share / 100 * 10_000).text, for: filter.name)
        },
        "saturation": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            plan.builder.step("saturation", try filter.argument(0).decimal(in: 0...100).text, for: filter.name)
        },
        "sharpen": Meaning(arguments: 3...3) { filter, plan throws(RequestError) in
            let amount = try filter.argument(0).decimal(in: 0...100)
            let radius = try filter.argument(1).decimal(in: 0...100)
            _ = try filter.flag(2)
            guard amount.millionths > 0 else { return }
            plan.builder.step("sharpen", max(radius, .leastSigma).text, for: filter.name)
        },
        "round_corner": Meaning(arguments: 4...5) { filter, plan throws(RequestError) in
            let radius = try filter.argument(0)
            var radii: [Int] = []
            for part in radius.text.split(separator: "|", omittingEmptySubsequences: false) {
                radii.append(try OptionValue(name: filter.name, text: String(part)).integer(in: 0...100_000))
            }
            guard radii.count <= 2, Set(radii).count == 1 else {
                throw radius.error("cannot be two radii: corners are parts of circles")
            }
            var channels: [UInt8] = []
            for index in 1...3 { channels.append(UInt8(try filter.argument(index).integer(in: 0...255))) }
            if radii[0] > 0 {
                plan.builder.step("round", String(min(radii[0], RoundStep.largestRadius)), for: filter.name)
            }
            if try !filter.flag(4) {
                let color = Color(red: channels[0], green: channels[1], blue: channels[2])
                plan.builder.setBackground(color, for: filter.name)
            }
        },
        "fill": Meaning(arguments: 1...2) { filter, plan throws(RequestError) in
            let isUnder = try filter.flag(1)
            let fits = plan.path.fitIn != nil && !plan.path.isFull
            // A picture that covers the box leaves nothing to fill.
            guard fits || isUnder else { return }
            try plan.appendCanvas(filter)
            try plan.setFill(filter)
        },
        // The first frame of an animation.
        "cover": Meaning(changesPixels: false, arguments: 0...0) { filter, plan throws(RequestError) in
            try plan.builder.set("anim", "first", for: filter.name)
        },
    ]) { $1 }
}

extension ThumborPlan {
    /// Sets the colour of `fill`.
    mutating func setFill(_ filter: ThumborFilter) throws(RequestError) {
        let value = try filter.argument(0)
        switch value.text {
        case "blur", "auto":
            throw filter.error("cannot be \(value.text), the picture's own colours: use a colour, or transparent")
        case "transparent", "none": break
        default: builder.setBackground(try value.color(), for: filter.name)
        }
    }
}

/// thumbor's blur: a Gaussian kernel that ends at its radius.
enum ThumborBlur {
    /// The standard deviation of the kernel, in pixels: less than its sigma, which it cuts off after `radius` pixels.
    static func deviation(radius: Int, sigma: Double) -> Double {
        var (sum, moment) = (1.0, 0.0)
        for distance in 1...radius {
            let square = Double(distance * distance)
            let weight = 2 * MathFunctions.power(2.718_281_828_459_045, -square / (2 * sigma * sigma))
            sum += weight
            moment += weight * square
        }
        return (moment / sum).squareRoot()
    }
}
