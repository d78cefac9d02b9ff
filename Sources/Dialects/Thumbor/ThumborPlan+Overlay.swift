import ImagePlan

extension ThumborPlan {
    /// Appends `watermark(image,x,y,alpha,w_ratio,h_ratio)`.
    mutating func appendWatermark(_ filter: ThumborFilter) throws(RequestError) {
        let mark = WatermarkStep.Mark.picture(try watermarkPath(filter), try Self.watermarkScale(filter))
        // imagor's positions and transparency can be left out.
        let zero = rules == .imagor ? OptionValue(name: filter.name, text: "0") : nil
        let (x, y) = filter.arguments.count == 2 ? (zero, zero) : (filter[1] ?? zero, filter[2] ?? zero)
        guard let x, let y, let alpha = filter[3] ?? zero else { throw filter.error("lacks an argument") }
        try appendOverlay(mark, filter, x: x, y: y, alpha: alpha)
    }

    /// Appends imagor's `label(text,x,y,size,color,alpha,font)`.
    mutating func appendLabel(_ filter: ThumborFilter) throws(RequestError) {
        let text = try filter.argument(0).text
        guard !text.allSatisfy(\.isWhitespace) else { throw filter.error("lacks an argument") }
        let zero = OptionValue(name: filter.name, text: "0")
        let mark = MarkText(
            ThumborImage.base64(text) ?? text,
            size: FixedDecimal(try filter[3]?.integer(in: 4...512) ?? 20),
            color: try filter[4]?.color() ?? .black,
            font: filter[6]?.text.replacing("-", with: " ") ?? "sans"
        )
        try appendOverlay(.text(mark), filter, x: filter[1] ?? zero, y: filter[2] ?? zero, alpha: filter[5] ?? zero)
    }

    /// Appends an overlay; `alpha` is its transparency in percent.
    private mutating func appendOverlay(
        _ mark: WatermarkStep.Mark,
        _ filter: ThumborFilter,
        x: OptionValue,
        y: OptionValue,
        alpha: OptionValue
    ) throws(RequestError) {
        let x = try OverlayPosition(x, words: ("left", "right"))
        let y = try OverlayPosition(y, words: ("top", "bottom"))
        let opacity = FixedDecimal(millionths: 1_000_000 - (try alpha.decimal(in: 0...100).millionths) / 100)
        let place = try OverlayPosition.place(x, y, of: filter)
        // One that is invisible is nothing.
        guard opacity.millionths > 0 else { return }
        let step = WatermarkStep(mark: mark, place: place, x: x.offset, y: y.offset, opacity: opacity)
        builder.step(WatermarkStep.name, step.value, for: filter.name)
    }

    /// An image of the same source.
    private func watermarkPath(_ filter: ThumborFilter) throws(RequestError) -> AuxiliaryPath {
        var text = try filter.argument(0).text
        if rules == .imagor { text = ThumborImage.base64(text) ?? text }
        guard let source else { throw filter.error("cannot be said without the name of a source") }
        guard !text.contains("://"), !ThumborImage.startsWithHost(text) else {
            throw filter.error("cannot have an image at another address: only one below the same source")
        }
        let path = ThumborImage.encoded(text).drop { $0 == UInt8(ascii: "/") }
        return try AuxiliaryPath(parsing: Parameter(filter.name, "\(source)/\(String(decoding: path, as: UTF8.self))"))
    }

    /// The share of the picture that the image fits; its own size without one.
    private static func watermarkScale(_ filter: ThumborFilter) throws(RequestError) -> WatermarkStep.Scale {
        let ratios = [filter[4], filter[5]].map { $0?.text == "none" ? nil : $0 }
        guard ratios[0] != nil || ratios[1] != nil else { return .own(.one) }
        var shares: [FixedDecimal] = []
        for ratio in ratios.compactMap(\.self) {
            shares.append(try ratio.decimal(in: FixedDecimal(millionths: 1)...FixedDecimal(100)))
        }
        guard shares.count == 2, shares[0] == shares[1] else {
            throw filter.error("needs w_ratio and h_ratio to be the same: the image fits one share of both sides")
        }
        return .fraction(FixedDecimal(millionths: shares[0].millionths / 100))
    }
}

/// A coordinate of `watermark` or `label`: a distance from one end, the middle, or a repetition.
struct OverlayPosition {
    enum Anchor: Int { case start, middle, end, everywhere }

    let anchor: Anchor
    /// The distance from the anchor.
    let offset: Measure

    /// Parses `10`, `-10`, `10p`, `-10p`, `center`, `repeat`, and one of two words, also with a distance as in `left-20`.
    init(_ value: OptionValue, words: (start: String, end: String)) throws(RequestError) {
        let text = value.text
        if text == "center" || text == "repeat" {
            (anchor, offset) = (text == "center" ? .middle : .everywhere, .pixels(0))
            return
        }
        var rest = text[...]
        var start: Anchor?
        for (word, anchor) in [(words.start, Anchor.start), (words.end, .end)] {
            for spelling in [word, String(word.prefix(1))] where start == nil && rest.hasPrefix(spelling) {
                let after = rest.dropFirst(spelling.count)
                guard after.isEmpty || after.hasPrefix("-") else { continue }
                (start, rest) = (anchor, after.isEmpty ? "0" : after.dropFirst())
            }
        }
        let isBackward = start == nil && rest.hasPrefix("-")
        if isBackward { rest = rest.dropFirst() }
        anchor = start ?? (isBackward ? .end : .start)
        let isPercent = rest.hasSuffix("p")
        guard let distance = FixedDecimal(parsing: String(isPercent ? rest.dropLast() : rest)),
            distance.millionths >= 0, distance <= FixedDecimal(Measure.longestSide)
        else {
            throw value.error("has a position that is not a number, a percentage such as 10p, center or repeat")
        }
        // imagor: a share of the side.
        let isShare = distance.millionths > 0 && distance < .one && !isPercent
        let percent = isShare ? FixedDecimal(millionths: distance.millionths * 100) : distance
        offset = (isPercent || isShare) && distance.millionths > 0 ? .percent(percent) : .pixels(distance.rounded)
    }

    /// Our place for two coordinates.
    static func place(
        _ x: OverlayPosition,
        _ y: OverlayPosition,
        of filter: ThumborFilter
    ) throws(RequestError) -> WatermarkStep.Place {
        let rows: [[WatermarkStep.Place]] = [
            [.northwest, .north, .northeast], [.west, .center, .east], [.southwest, .south, .southeast],
        ]
        switch (x.anchor.rawValue, y.anchor.rawValue) {
        case (3, 3): return .tile
        case (3, _), (_, 3): throw filter.error("cannot repeat in one direction only")
        case (let column, let row): return rows[row][column]
        }
    }
}
