import ImagePlan

/// The mean of the focal points of a request, weighted by the areas of their rectangles.
struct ThumborFocus {
    private struct Area {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double
    }

    /// The value of our `gravity`: shares, or pixels of the picture before the resize.
    let gravity: String

    /// Reads `focal(AxB:CxD)`, for imagor also `focal(X,Y)`, and shares of the sides; `nil` without one.
    init?(_ plan: ThumborPlan) throws(RequestError) {
        var areas: [Area] = []
        var isRelative: Bool?
        for filter in plan.filters where filter.name == "focal" {
            let numbers = try Self.numbers(filter, rules: plan.rules)
            let relative =
                plan.rules == .imagor && numbers[0] < 1 && numbers[1] < 1 && numbers.dropFirst(2).allSatisfy { $0 <= 1 }
            guard isRelative == nil || isRelative == relative else {
                throw filter.error("mixes pixels with shares of the sides")
            }
            isRelative = relative
            let point = relative ? 0 : 1.0
            areas.append(
                Area(
                    left: numbers[0],
                    top: numbers[1],
                    right: numbers.count == 4 ? numbers[2] : numbers[0] + point,
                    bottom: numbers.count == 4 ? numbers[3] : numbers[1] + point
                )
            )
        }
        guard let isRelative, var point = Self.mean(areas) else { return nil }
        if let crop = plan.path.crop, crop.isStated {
            guard crop.isRelative == isRelative else {
                throw RequestError(parameter: "focal", reason: "is in pixels and the crop in shares, or the reverse")
            }
            point.x -= crop.left.value
            point.y -= crop.top.value
            if isRelative {
                point.x /= max(0.000_001, crop.right.value - crop.left.value)
                point.y /= max(0.000_001, crop.bottom.value - crop.top.value)
            }
        }
        gravity =
            isRelative
            ? "\(FixedDecimal(max(0, min(1, point.x))).text),\(FixedDecimal(max(0, min(1, point.y))).text)"
            : "\(Int(max(0, point.x)))px,\(Int(max(0, point.y)))px"
    }

    private static func numbers(_ filter: ThumborFilter, rules: ThumborRules) throws(RequestError) -> [Double] {
        let text = filter.arguments.joined(separator: ",")
        let parts = text.split(omittingEmptySubsequences: false) { "x:,".contains($0) }
        var numbers: [Double] = []
        for part in parts {
            let value = OptionValue(name: filter.name, text: String(part))
            // thumbor ignores others than whole ones.
            let number =
                rules == .thumbor
                ? FixedDecimal(try value.integer(in: 0...Measure.longestSide))
                : try value.decimal(in: 0...Measure.longestSide)
            numbers.append(number.value)
        }
        guard numbers.count == 4 || numbers.count == 2 && rules == .imagor else {
            throw filter.error("must be AxB:CxD, the corners of a rectangle")
        }
        guard numbers.count == 2 || numbers[2] > numbers[0] && numbers[3] > numbers[1] else {
            throw filter.error("is empty: C must be beyond A, and D beyond B")
        }
        return numbers
    }

    /// The mean of the middles; points without an area count alike.
    private static func mean(_ areas: [Area]) -> (x: Double, y: Double)? {
        guard !areas.isEmpty else { return nil }
        func weight(_ area: Area) -> Double { max(1e-9, (area.right - area.left) * (area.bottom - area.top)) }
        let total = areas.reduce(0) { $0 + weight($1) }
        let x = areas.reduce(0) { $0 + ($1.left + $1.right) / 2 * weight($1) } / total
        let y = areas.reduce(0) { $0 + ($1.top + $1.bottom) / 2 * weight($1) } / total
        return (x, y)
    }
}
