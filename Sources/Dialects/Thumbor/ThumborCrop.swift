import ImagePlan

/// `AxB:CxD`: a crop from the point A, B to the point C, D; imagor also takes shares of the sides.
struct ThumborCrop {
    /// The segment as written.
    let text: String
    let left: FixedDecimal
    let top: FixedDecimal
    let right: FixedDecimal
    let bottom: FixedDecimal
    /// Whether the numbers are shares of the sides, 0–1.
    let isRelative: Bool

    /// Parses a segment; `nil` if it is something else.
    init?(_ text: String, rules: ThumborRules) {
        let points = text.split(separator: ":", omittingEmptySubsequences: false)
        guard points.count == 2 else { return nil }
        var numbers: [FixedDecimal] = []
        for point in points {
            let parts = point.split(separator: "x", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            for part in parts {
                guard !part.hasPrefix("-"), rules == .imagor || ThumborPath.digits(part) != nil,
                    let number = FixedDecimal(parsing: String(part))
                else { return nil }
                numbers.append(number)
            }
        }
        self.text = text
        (left, top, right, bottom) = (numbers[0], numbers[1], numbers[2], numbers[3])
        isRelative =
            rules == .imagor && left < .one && top < .one && right <= .one && bottom <= .one
            && numbers.contains { $0.millionths > 0 }
    }

    /// Whether the crop is stated at all: `0x0:0x0` is none.
    var isStated: Bool { [left, top, right, bottom].contains { $0.millionths > 0 } }

    /// The value of our `crop`.
    ///
    /// - Throws: 400 for an empty rectangle, which thumbor ignores.
    func value(rules: ThumborRules) throws(RequestError) -> String {
        // imagor takes an end of 0 for that of the picture.
        let whole = isRelative ? FixedDecimal.one : FixedDecimal(Measure.longestSide)
        let right = rules == .imagor && right.millionths == 0 ? whole : right
        let bottom = rules == .imagor && bottom.millionths == 0 ? whole : bottom
        guard right > left, bottom > top else {
            throw RequestError(parameter: text, reason: "is empty: it must be AxB:CxD with C beyond A and D beyond B")
        }
        let sides = [
            left, top, FixedDecimal(millionths: right.millionths - left.millionths),
            FixedDecimal(millionths: bottom.millionths - top.millionths),
        ]
        return sides.map { side in
            isRelative ? FixedDecimal(millionths: side.millionths * 100).text + "%" : String(side.rounded)
        }.joined(separator: ",")
    }
}
