import ImagePlan

extension ThumborFilter {
    /// The filters of imagor: thumbor's, some of which have other scales, and its own.
    static let imagor: [String: Meaning] = common.merging(imagorPixels) { $1 }.merging(imagorOutput) { $1 }

    private static let imagorPixels: [String: Meaning] = [
        "blur": Meaning(arguments: 1...2) { filter, plan throws(RequestError) in
            let radius = try filter.argument(0).decimal(in: 0...10_000)
            // Half a radius, unless the second number is the standard deviation.
            let sigma = try filter[1]?.decimal(in: 0...10_000) ?? FixedDecimal(millionths: radius.millionths / 2)
            if sigma.millionths > 0 { plan.builder.step("blur", max(sigma, .leastSigma).text, for: filter.name) }
        },
        "sharpen": Meaning(arguments: 1...3) { filter, plan throws(RequestError) in
            let stated = try filter.argument(filter.arguments.count > 1 ? 1 : 0).decimal(in: 0...1_000)
            plan.builder.step("sharpen", FixedDecimal(1 + 2 * stated.value).text, for: filter.name)
        },
        "contrast": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            let amount = try filter.argument(0).decimal(in: -100...100).value * 2.55
            let factor = 259 * (amount + 255) / (255 * (259 - amount))
            plan.builder.step("contrast", FixedDecimal(factor).text, for: filter.name)
        },
        "saturation": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            plan.builder.step("saturation", try factor(try filter.argument(0)), for: filter.name)
        },
        "hue": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            plan.builder.step("hue", try filter.argument(0).decimal(in: -999_999...999_999).text, for: filter.name)
        },
        "modulate": Meaning(arguments: 3...3) { filter, plan throws(RequestError) in
            plan.builder.step("brightness", try factor(try filter.argument(0)), for: filter.name)
            plan.builder.step("saturation", try factor(try filter.argument(1)), for: filter.name)
            plan.builder.step("hue", try filter.argument(2).decimal(in: -999_999...999_999).text, for: filter.name)
        },
        "rotate": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            guard ["0", "90", "180", "270"].contains(try filter.argument(0).text) else {
                throw filter.error("must be 0, 90, 180 or 270: other angles have no effect there")
            }
            try plan.appendRotation(filter)
        },
        "invert": Meaning(arguments: 0...0) { filter, plan throws(RequestError) in
            plan.builder.step("filter", "invert", for: filter.name)
        },
        "pixelate": Meaning(arguments: 0...1) { filter, plan throws(RequestError) in
            let block = try filter[0]?.integer(in: 1...100_000) ?? 10
            if block > 1 { plan.builder.step("pixelate", String(block), for: filter.name) }
        },
        "round_corner": Meaning(arguments: 1...3) { filter, plan throws(RequestError) in
            let radius = try filter.argument(0).integer(in: 0...100_000)
            guard try filter[1]?.integer(in: 0...100_000) ?? radius == radius else {
                throw filter.error("cannot have two radii: corners are parts of circles")
            }
            if radius > 0 { plan.builder.step("round", String(min(radius, RoundStep.largestRadius)), for: filter.name) }
            if let color = filter[2] { plan.builder.setBackground(try color.color(), for: filter.name) }
        },
        "crop": Meaning(arguments: 4...4) { filter, plan throws(RequestError) in
            var sides: [String] = []
            for index in 0..<4 { sides.append(try side(try filter.argument(index))) }
            plan.builder.step("crop", sides.joined(separator: ","), for: filter.name)
        },
        "trim": Meaning(arguments: 0...2) { filter, plan throws(RequestError) in
            let tolerance = try filter[0]?.integer(in: 0...1_000) ?? 0
            let isReverse = try filter[1]?.keyword(["top-left": false, "bottom-right": true]) ?? false
            try plan.appendTrim(tolerance: tolerance, isBottomRight: isReverse, for: filter.name)
        },
        "fill": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            let fits = plan.path.fitIn != nil && !plan.path.isFull
            try plan.appendCanvas(filter)
            if let padding = plan.path.padding {
                let (across, down) = plan.isTurned ? (1, 0) : (0, 1)
                plan.appendPadding(
                    [padding[across], padding[down], padding[across + 2], padding[down + 2]],
                    for: filter.name
                )
            }
            // The picture's own colours show only around it.
            let isOwn = ["blur", "auto"].contains(filter.arguments[0])
            if !isOwn || fits || plan.path.padding != nil { try plan.setFill(filter) }
        },
        "padding": Meaning(arguments: 2...5) { filter, plan throws(RequestError) in
            var margins: [Int] = []
            for index in 1..<filter.arguments.count {
                margins.append(try filter.argument(index).integer(in: 0...PadStep.widest))
            }
            let isWhole = margins.count == 4
            let (left, top) = (margins[0], margins.count > 1 ? margins[1] : margins[0])
            plan.appendPadding([left, top, isWhole ? margins[2] : left, isWhole ? margins[3] : top], for: filter.name)
            try plan.setFill(filter)
        },
        "watermark": Meaning(arguments: 1...6) { filter, plan throws(RequestError) in
            try plan.appendWatermark(filter)
        },
        "label": Meaning(arguments: 1...7) { filter, plan throws(RequestError) in try plan.appendLabel(filter) },
        "orient": Meaning(changesPixels: false, arguments: 1...1, apply: handledByResize),
    ]

    /// A change in percent as a factor.
    private static func factor(_ value: OptionValue) throws(RequestError) -> String {
        FixedDecimal(millionths: 1_000_000 + (try value.decimal(in: -100...900).millionths) / 100).text
    }

    /// Pixels, or a share of the side below 1.
    private static func side(_ value: OptionValue) throws(RequestError) -> String {
        let number = try value.decimal(in: 0...Measure.longestSide)
        guard number.millionths > 0, number < .one else { return String(number.millionths / 1_000_000) }
        return FixedDecimal(millionths: number.millionths * 100).text + "%"
    }
}

extension ThumborPlan {
    /// Appends margins: left, top, right and bottom.
    mutating func appendPadding(_ margins: [Int], for option: String) {
        guard margins.contains(where: { $0 > 0 }) else { return }
        builder.step(
            "pad",
            [margins[1], margins[2], margins[3], margins[0]].map(String.init).joined(separator: ","),
            for: option
        )
    }
}
