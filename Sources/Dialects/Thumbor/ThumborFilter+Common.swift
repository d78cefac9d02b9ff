import ImagePlan

extension ThumborFilter {
    /// What the path's resize has dealt with already.
    static let handledByResize: @Sendable (ThumborFilter, inout ThumborPlan) throws(RequestError) -> Void = { _, _ in }

    /// The filters that thumbor and imagor share.
    static let common: [String: Meaning] = [
        "focal": Meaning(changesPixels: false, arguments: 1...4, apply: handledByResize),
        "no_upscale": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "upscale": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "stretch": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "proportion": Meaning(arguments: 1...1, apply: handledByResize),
        // Lifetimes are the origin's or the source's.
        "max_age": Meaning(changesPixels: false, arguments: 1...1) { filter, _ throws(RequestError) in
            _ = try filter.argument(0).integer(in: 0...999_999_999)
        },
        // Metadata are not kept unless a request asks for them; pictures are sRGB.
        "strip_exif": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "strip_icc": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "quality": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let quality = try filter.argument(0).integer(in: 0...100)
            try plan.builder.set("q", String(max(1, quality)), for: filter.name)
        },
        "max_bytes": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let bytes = try filter.argument(0).integer(in: EncodingSettings.byteCounts)
            try plan.builder.set("max_bytes", String(bytes), for: filter.name)
        },
        "brightness": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            plan.appendOffset([try plan.share(filter.argument(0))], for: filter.name)
        },
        "rgb": Meaning(arguments: 3...3) { filter, plan throws(RequestError) in
            var shares: [FixedDecimal] = []
            for index in 0..<3 { shares.append(try plan.share(filter.argument(index))) }
            plan.appendOffset(shares, for: filter.name)
        },
        "grayscale": Meaning(arguments: 0...0) { filter, plan throws(RequestError) in
            plan.builder.step("filter", "grayscale", for: filter.name)
        },
        "rotate": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            try plan.appendRotation(filter)
        },
        "background_color": Meaning(arguments: 1...1) { filter, plan throws(RequestError) in
            plan.builder.setBackground(try filter.argument(0).color(), for: filter.name)
        },
        "watermark": Meaning(arguments: 4...6) { filter, plan throws(RequestError) in
            try plan.appendWatermark(filter)
        },
    ]
}

extension ThumborPlan {
    /// Appends `rotate(angle)`, which is against the clock.
    mutating func appendRotation(_ filter: ThumborFilter) throws(RequestError) {
        let angle = try filter.argument(0).integer(in: -999_999...999_999)
        guard angle.isMultiple(of: 90) else {
            throw filter.error("must be a multiple of 90 degrees; others have no effect there")
        }
        let clockwise = ((-angle % 360) + 360) % 360
        if clockwise != 0 { builder.step("rotate", String(clockwise), for: filter.name) }
        if clockwise % 180 != 0 { isTurned.toggle() }
    }

    /// A share in percent; thumbor ignores filters with one that is not whole.
    func share(_ value: OptionValue) throws(RequestError) -> FixedDecimal {
        rules == .thumbor ? FixedDecimal(try value.integer(in: -100...100)) : try value.decimal(in: -100...100)
    }

    /// Adds shares of white in percent, one or those of red, green and blue; thumbor's are whole values, rounded towards zero.
    mutating func appendOffset(_ shares: [FixedDecimal], for option: String) {
        let offsets = shares.map { share in
            let exact = FixedDecimal(millionths: share.millionths * 255 / 100)
            return rules == .thumbor ? FixedDecimal(exact.millionths / 1_000_000) : exact
        }
        builder.step("offset", offsets.map(\.text).joined(separator: ","), for: option)
    }

    /// Appends the canvas of `fill`: the box, in the directions that it states.
    mutating func appendCanvas(_ filter: ThumborFilter) throws(RequestError) {
        guard path.fitIn != nil, !path.isFull, !hasCanvas else { return }
        if path.isAdaptive {
            throw filter.error("cannot follow adaptive-fit-in: the canvas does not turn with the picture; use fit-in")
        }
        var sides = [path.width, path.height].map {
            if case .pixels(let pixels) = $0 { String(pixels) } else { "100%" }
        }
        guard sides != ["100%", "100%"] else { return }
        // After a quarter turn imagor turns the canvas as well; thumbor cuts what is larger.
        if isTurned, rules == .imagor { sides.reverse() }
        let size = sides.joined(separator: "x")
        if isTurned, rules == .thumbor { builder.step("crop", "\(size),center", for: filter.name) }
        builder.step("pad", size, for: filter.name)
    }
}
