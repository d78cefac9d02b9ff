import ImagePlan

extension ValueFormat where Value == Int {
    /// A whole number.
    static func count(_ range: ClosedRange<Int>) -> ValueFormat {
        .scalar("a whole number from \(range.lowerBound) to \(range.upperBound)", schema: .integer(range)) { text in
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text) else { return nil }
            return range.contains(value) ? value : nil
        } write: {
            .plain(String($0))
        }
    }

    /// Bytes.
    static func size(_ range: ClosedRange<Int>) -> ValueFormat {
        scaled("a size", "256MiB", ScaledNumber.sizes, range, bare: 1)
    }

    /// Milliseconds.
    static func duration(_ range: ClosedRange<Int>) -> ValueFormat {
        scaled("a time", "500ms or 10s", ScaledNumber.milliseconds, range, bare: nil)
    }

    /// Pixels.
    static func pixels(_ range: ClosedRange<Int>) -> ValueFormat {
        scaled("a number of pixels", "50MP", ScaledNumber.pixels, range, bare: 1)
    }

    private static func scaled(
        _ what: String,
        _ example: String,
        _ units: [ScaledNumber.Unit],
        _ range: ClosedRange<Int>,
        bare: Int?
    ) -> ValueFormat {
        let low = ScaledNumber.text(range.lowerBound, units: units)
        let high = ScaledNumber.text(range.upperBound, units: units)
        return .scalar(
            "\(what) such as \(example), from \(low) to \(high)",
            schema: .scaled(units, bare: bare != nil)
        ) { text in
            guard let value = ScaledNumber.parse(text, units: units, bare: bare), range.contains(value) else {
                return nil
            }
            return value
        } write: {
            .plain(ScaledNumber.text($0, units: units))
        }
    }
}

extension ValueFormat where Value == Int {
    /// A status of a response with a complete image.
    static var fallbackStatus: ValueFormat {
        .scalar(
            "200, or a status from 400 to 599",
            schema: .either([.integer(200...200), .integer(400...599)])
        ) { text in
            Int(text).flatMap { $0 == 200 || (400...599).contains($0) ? $0 : nil }
        } write: {
            .plain(String($0))
        }
    }
}

extension ValueFormat where Value == Int64 {
    /// The maximum, a hundred years; longer times are written as `none`.
    private static var longestSeconds: Int64 { 100 * 366 * 86_400 }

    /// Whole seconds of freshness, up to a hundred years.
    static var seconds: ValueFormat {
        .scalar(
            "a time in whole seconds such as 10s or 7d",
            schema: .scaled(ScaledNumber.seconds, bare: false)
        ) { text in
            ScaledNumber.parse(text, units: ScaledNumber.seconds, bare: nil).map(Int64.init).flatMap { seconds in
                seconds <= longestSeconds ? seconds : nil
            }
        } write: {
            .plain(ScaledNumber.text(Int($0), units: ScaledNumber.seconds))
        }
    }

    /// Whole seconds, or `none` for no bound (`Int64.max`).
    static var secondsOrNone: ValueFormat {
        .scalar(
            "a time in whole seconds such as 7d, or none",
            schema: .either([.words(["none"]), .scaled(ScaledNumber.seconds, bare: false)])
        ) { text in
            text == "none" ? .max : ScaledNumber.parse(text, units: ScaledNumber.seconds, bare: nil).map(Int64.init)
        } write: {
            .plain($0 == .max ? "none" : ScaledNumber.text(Int($0), units: ScaledNumber.seconds))
        }
    }
}

extension ValueFormat where Value == Int {
    /// A perceptual distance in thousandths, written as a decimal number.
    static var distance: ValueFormat {
        let range = QualityDefaults.distances
        return .scalar(
            "a number such as 1 or 0.75, from \(text(range.lowerBound)) to \(text(range.upperBound))",
            schema: .number(minimum: Double(range.lowerBound) / 1_000, maximum: Double(range.upperBound) / 1_000)
        ) {
            guard let number = FixedDecimal(parsing: $0), number.millionths.isMultiple(of: 1_000) else { return nil }
            let value = number.millionths / 1_000
            return range.contains(value) ? value : nil
        } write: {
            .plain(text($0))
        }
    }

    private static func text(_ thousandths: Int) -> String {
        let decimals = String(1_000 + thousandths % 1_000).dropFirst()
        let digits = decimals.reversed().drop { $0 == "0" }.reversed()
        return "\(thousandths / 1_000)" + (digits.isEmpty ? "" : "." + String(digits))
    }
}

extension ValueFormat where Value == FixedDecimal {
    /// A ratio of device pixels to CSS pixels, the value of `dpr`.
    static var ratio: ValueFormat {
        .scalar("a number from 1 to 4", schema: .number(minimum: 1, maximum: 4)) { text in
            FixedDecimal(parsing: text).flatMap { (FixedDecimal(1)...FixedDecimal(4)).contains($0) ? $0 : nil }
        } write: {
            .plain($0.text)
        }
    }
}

extension ValueFormat {
    /// A short list of ascending values.
    static func rungs<Element: Comparable & Hashable & Sendable>(
        of format: ValueFormat<Element>
    ) -> ValueFormat where Value == [Element] {
        let list = ValueFormat.nonEmptyList(of: format)
        return ValueFormat(
            expectation: list.expectation,
            read: { node, problems in
                guard let values = list.read(node, &problems) else { return nil }
                guard values == values.sorted(), values.count <= HintLadder.maximumRungs else {
                    let isLong = values.count > HintLadder.maximumRungs
                    problems.add(
                        isLong ? "has more than \(HintLadder.maximumRungs) values" : "must ascend",
                        at: node.place
                    )
                    return nil
                }
                return values
            },
            write: list.write,
            schema: list.schema
        )
    }
}
