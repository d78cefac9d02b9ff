import ImagePlan

extension ThumborPlan {
    /// Appends `watermark(image,x,y,alpha,w_ratio,h_ratio)`.
    mutating func appendWatermark(_ filter: ThumborFilter) throws(RequestError) {
        let path = try watermarkPath(filter)
        let x = try OverlayPosition(try filter.argument(1), words: ("left", "right"))
        let y = try OverlayPosition(try filter.argument(2), words: ("top", "bottom"))
        let opacity = FixedDecimal(millionths: 1_000_000 - (try filter.argument(3).decimal(in: 0...100).millionths) / 100)
        let place = try OverlayPosition.place(x, y, of: filter)
        let scale = try watermarkScale(filter)
        builder.step(
            "watermark",
            [path, place, x.offset, y.offset, scale, opacity.text].joined(separator: ","),
            for: filter.name
        )
    }

    /// `SOURCE/PATH`: an image of the same source.
    private func watermarkPath(_ filter: ThumborFilter) throws(RequestError) -> String {
        var text = try filter.argument(0).text
        if rules == .imagor, text.hasPrefix("b64:") {
            text = Base64URL.decode(text.utf8.dropFirst(4)).flatMap { String(validating: $0, as: UTF8.self) } ?? text
        }
        guard let source else { throw filter.error("cannot be said without the name of a source") }
        guard !text.contains("://"), !ThumborImage.startsWithHost(text) else {
            throw filter.error("cannot have an image at another address: only one below the same source")
        }
        var bytes = Array("\(source)/".utf8)
        for byte in text.utf8.drop(while: { $0 == UInt8(ascii: "/") }) {
            if byte.isURLUnreserved || byte == UInt8(ascii: "/") {
                bytes.append(byte)
            } else {
                PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A share of the picture that the image fits, empty for its own size.
    private func watermarkScale(_ filter: ThumborFilter) throws(RequestError) -> String {
        let ratios = [filter[4], filter[5]].map { $0?.text == "none" ? nil : $0 }
        guard let width = ratios[0] else {
            guard ratios[1] == nil else { throw filter.error("cannot state the height alone: w_ratio must be the same") }
            return ""
        }
        let share = try width.decimal(in: FixedDecimal(millionths: 1)...FixedDecimal(100))
        guard let height = ratios[1], try height.decimal(in: 0...100) == share else {
            throw filter.error("cannot have a w_ratio and another h_ratio: the image fits one share of both sides")
        }
        return FixedDecimal(millionths: share.millionths / 100).text
    }
}

/// A coordinate of `watermark` or `label`: a distance from one end, the middle, or a repetition.
struct OverlayPosition {
    enum Anchor { case start, middle, end, everywhere }

    let anchor: Anchor
    /// The distance from the anchor in our form, empty for none.
    let offset: String

    /// Parses `10`, `-10`, `10p`, `-10p`, `center`, `repeat`, and one of two words, also with a distance as in `left-20`.
    init(_ value: OptionValue, words: (start: String, end: String)) throws(RequestError) {
        let text = value.text
        if text == "center" || text == "repeat" {
            (anchor, offset) = (text == "center" ? .middle : .everywhere, "")
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
        if isPercent {
            offset = distance.text + "%"
        } else if distance.millionths > 0, distance < .one {
            // imagor: a share of the side.
            offset = FixedDecimal(millionths: distance.millionths * 100).text + "%"
        } else {
            offset = distance.millionths == 0 ? "" : String(distance.rounded)
        }
    }

    /// Our place for two coordinates.
    static func place(_ x: OverlayPosition, _ y: OverlayPosition, of filter: ThumborFilter) throws(RequestError) -> String {
        if x.anchor == .everywhere, y.anchor == .everywhere { return "tile" }
        guard x.anchor != .everywhere, y.anchor != .everywhere else {
            throw filter.error("cannot repeat in one direction only")
        }
        let vertical = y.anchor == .start ? "north" : y.anchor == .end ? "south" : ""
        let horizontal = x.anchor == .start ? "west" : x.anchor == .end ? "east" : ""
        return vertical.isEmpty && horizontal.isEmpty ? "center" : vertical + horizontal
    }
}
