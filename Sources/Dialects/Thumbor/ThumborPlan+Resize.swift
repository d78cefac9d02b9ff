import ImagePlan

extension ThumborPlan {
    /// Appends the resize: by default to cover the box, also by enlarging; with `fit-in` to fit it, without.
    mutating func appendResize() throws(RequestError) {
        let option = path.dimensions
        var width = path.width, height = path.height
        let isFitIn = path.fitIn != nil
        let isStretched = path.isStretched || has("stretch")
        let gravity = try gravity()
        if let fitIn = path.fitIn, path.isAdaptive, path.isFull || width == .original || height == .original {
            throw RequestError(
                parameter: fitIn,
                reason: path.isFull
                    ? "cannot be said: only a box that the picture fits turns with it; use full-fit-in"
                    : "cannot be said with orig: the box turns with the picture; use fit-in"
            )
        }
        if has("no_upscale"), width == .original || height == .original {
            throw RequestError(parameter: option, reason: "cannot be orig with no_upscale()")
        }
        // A side that is the picture's own is no limit, unless the picture is to cover the box.
        if isFitIn && !path.isFull || !width.isStated && !height.isStated {
            if width == .original { width = .free }
            if height == .original { height = .free }
        }
        guard width != .free || height != .free else {
            try appendProportion()
            return
        }
        let enlarges = isFitIn && !path.isFull ? has("upscale") : !has("no_upscale")
        let share = try proportion()
        if let share, !canScale(isFitIn: isFitIn) {
            throw RequestError(parameter: "proportion", reason: "cannot follow \(path.fitIn ?? option) (\(share.text))")
        }
        for (name, side) in [("w", width), ("h", height)] where side != .free {
            builder.step(name, Self.text(side, share: share), for: option)
        }
        if enlarges { try builder.set("enlarge", "1", for: option) }
        guard width != .free, height != .free else { return }
        if isFitIn {
            try setFitIn()
        } else if isStretched {
            try builder.set("fit", "fill", for: "stretch")
        } else {
            try builder.set("fit", enlarges ? "cover" : "crop", for: enlarges ? option : "no_upscale")
            try builder.set("gravity", gravity, for: path.isSmart ? "smart" : has("focal") ? "focal" : option)
        }
    }

    private mutating func setFitIn() throws(RequestError) {
        let option = path.fitIn ?? "fit-in"
        if path.isFull {
            try builder.set("fit", "outside", for: option)
        } else if path.isAdaptive {
            try builder.set("fit", "adaptive", for: option)
        } else if fillsFirst {
            try builder.set("fit", "pad", for: "fill")
            hasCanvas = true
        }
    }

    /// Whether `fill` comes before all other filters that change pixels, and makes the canvas of the box.
    private var fillsFirst: Bool {
        let first = filters.first { rules.filters[$0.name]?.changesPixels == true }
        return first?.name == "fill"
    }

    private static func text(_ side: ThumborPath.Side, share: FixedDecimal?) -> String {
        switch side {
        case .free: ""
        case .original: "100%"
        case .pixels(let pixels):
            String(share.map { max(1, pixels * $0.millionths / 1_000_000) } ?? pixels)
        }
    }

    // MARK: Proportion

    /// The share of `proportion`, 0–1; `nil` without one.
    private func proportion() throws(RequestError) -> FixedDecimal? {
        guard let filter = filters.first(where: { $0.name == "proportion" }) else { return nil }
        let value = try filter.argument(0)
        var share = try value.decimal(in: FixedDecimal(millionths: 1)...FixedDecimal(rules == .imagor ? 100 : 1))
        // imagor reads a number above 1 as a percentage.
        if share > .one { share = FixedDecimal(millionths: share.millionths / 100) }
        let first = filters.first { rules.filters[$0.name]?.changesPixels == true }
        guard first?.name == filter.name, filters.filter({ $0.name == filter.name }).count == 1 else {
            throw filter.error("cannot follow another filter, whose lengths it would scale")
        }
        return share
    }

    /// Without a resize, `proportion` is one.
    private mutating func appendProportion() throws(RequestError) {
        guard let share = try proportion() else { return }
        builder.step("w", FixedDecimal(millionths: share.millionths * 100).text + "%", for: "proportion")
    }

    /// Whether a resize and `proportion` together are one resize: only if the size does not depend on the picture.
    private func canScale(isFitIn: Bool) -> Bool {
        !isFitIn && !has("no_upscale") && path.width != .original && path.height != .original
    }

    // MARK: Gravity

    /// The value of our `gravity`: a focal point, what a search finds, or the alignment.
    private func gravity() throws(RequestError) -> String {
        if let focus = try ThumborFocus(self) { return focus.gravity }
        if path.isSmart { return rules.smartGravity }
        let x = ["left": "0", "right": "1"][path.horizontal] ?? "0.5"
        let y = ["top": "0", "bottom": "1"][path.vertical] ?? "0.5"
        return "\(x),\(y)"
    }
}

extension ThumborPath.Side {
    /// Whether the side is a number.
    fileprivate var isStated: Bool { if case .pixels = self { true } else { false } }
}
