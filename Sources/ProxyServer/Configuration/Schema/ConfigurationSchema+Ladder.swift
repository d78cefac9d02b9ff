import ImagePlan

extension ConfigurationSchema {
    /// What client hints come to.
    static let ladder: [Setting<Configuration>] = [
        Setting(
            "ladder.widths",
            \.ladder.widths,
            .rungs(of: .count(1...ResizeStep.longestSide)),
            "Widths that w=auto comes to, in device pixels."
        ),
        Setting(
            "ladder.dpr",
            \.ladder.ratios,
            .rungs(of: .ratio),
            "Ratios that dpr=auto comes to, 1 to 4."
        ),
        Setting(
            "ladder.default-width",
            \.ladder.defaultWidth,
            .count(1...ResizeStep.longestSide),
            "What w=auto is where no field tells a width."
        ),
    ]
}

extension ValueFormat where Value == FixedDecimal {
    /// A ratio of device pixels to CSS pixels, as `dpr` takes it.
    fileprivate static var ratio: ValueFormat {
        .scalar("a number from 1 to 4") { text in
            FixedDecimal(parsing: text).flatMap { (FixedDecimal(1)...FixedDecimal(4)).contains($0) ? $0 : nil }
        } write: {
            .plain($0.text)
        }
    }
}

extension ValueFormat {
    /// A short list of values that ascend.
    fileprivate static func rungs<Element: Comparable & Hashable & Sendable>(
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
            write: list.write
        )
    }
}
