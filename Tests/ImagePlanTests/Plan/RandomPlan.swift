import ImagePlan

/// Random plans, built as values instead of parsed.
enum RandomPlan {
    static func make(using generator: inout some RandomNumberGenerator) -> Plan {
        let gravity = gravity(using: &generator)
        var steps: [any TransformStep] = []
        if Bool.random(using: &generator) { steps.append(resize(gravity: gravity, using: &generator)) }
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let position = Int.random(in: 0...steps.count, using: &generator)
            steps.insert(step(gravity: gravity, using: &generator), at: position)
        }
        return Plan(steps: steps, settings: settings(using: &generator))
    }

    static func resize(gravity: Gravity, using generator: inout some RandomNumberGenerator) -> ResizeStep {
        let sides = Int.random(in: 0...2, using: &generator)
        return ResizeStep(
            width: sides == 0 ? nil : measure(using: &generator),
            height: sides == 1 ? nil : measure(using: &generator),
            leastWidth: Int.random(in: 0...7, using: &generator) == 0 ? side(using: &generator) : nil,
            leastHeight: Int.random(in: 0...7, using: &generator) == 0 ? side(using: &generator) : nil,
            fit: Fit.allCases.randomElement(using: &generator) ?? .contain,
            gravity: gravity,
            enlarge: Bool.random(using: &generator),
            isLinear: Bool.random(using: &generator)
        )
    }

    /// A side in pixels, or in percent up to 1000.
    private static func measure(using generator: inout some RandomNumberGenerator) -> Measure {
        Int.random(in: 0...5, using: &generator) == 0
            ? .percent(decimal(1...1_000_000_000, using: &generator)) : .pixels(side(using: &generator))
    }

    /// A side from 1 to 16384, small ones as likely as large ones.
    static func side(using generator: inout some RandomNumberGenerator) -> Int {
        let bits = Int.random(in: 0...14, using: &generator)
        return Int.random(in: 1...1 << bits, using: &generator)
    }

    static func gravity(using generator: inout some RandomNumberGenerator) -> Gravity {
        switch Int.random(in: 0...6, using: &generator) {
        case 6: .pixels(x: side(using: &generator), y: side(using: &generator))
        case 0: .attention
        case 1: .entropy
        case 4: .subject
        case 2: .point(x: fraction(using: &generator), y: fraction(using: &generator))
        case 3: .point(x: FixedDecimal(Int.random(in: 0...1, using: &generator)), y: FixedDecimal(millionths: 500_000))
        default: .center
        }
    }

    private static func fraction(using generator: inout some RandomNumberGenerator) -> FixedDecimal {
        FixedDecimal(millionths: Int.random(in: 0...1_000_000, using: &generator))
    }

    private static func decimal(
        _ range: ClosedRange<Int>,
        using generator: inout some RandomNumberGenerator
    ) -> FixedDecimal {
        FixedDecimal(millionths: Int.random(in: range, using: &generator))
    }

    private static func color(using generator: inout some RandomNumberGenerator) -> Color {
        Color(
            red: .random(in: 0...255, using: &generator),
            green: .random(in: 0...255, using: &generator),
            blue: .random(in: 0...255, using: &generator),
            alpha: Bool.random(using: &generator) ? 255 : .random(in: 1...254, using: &generator)
        )
    }

    private static func step(
        gravity: Gravity,
        using generator: inout some RandomNumberGenerator
    ) -> any TransformStep {
        switch Int.random(in: 0...11, using: &generator) {
        case 7...9: return tone(using: &generator)
        case 10: return pad(using: &generator)
        case 11:
            if Bool.random(using: &generator) { return TrimStep(threshold: .random(in: 1...255, using: &generator)) }
            return MaskStep(shape: MaskStep.Shape.allCases.randomElement(using: &generator) ?? .circle)
        case 0: return crop(gravity: gravity, using: &generator)
        case 1:
            return RoundStep(
                topLeft: .pixels(decimal(1...16_384_000_000, using: &generator)),
                topRight: radius(using: &generator),
                bottomRight: radius(using: &generator),
                bottomLeft: radius(using: &generator)
            )
        case 2:
            return BorderStep(width: decimal(1...16_384_000_000, using: &generator), color: color(using: &generator))
        case 3: return BlurStep(sigma: decimal(300_000...250_000_000, using: &generator))
        case 4: return SharpenStep(sigma: decimal(300_000...10_000_000, using: &generator))
        case 5: return FlipStep(direction: FlipStep.Direction.allCases.randomElement(using: &generator) ?? .both)
        default:
            let quarter = RotateStep(degrees: FixedDecimal(90 * Int.random(in: 1...3, using: &generator)))
            let free = RotateStep(degrees: decimal(1...359_999_999, using: &generator))
            return Bool.random(using: &generator) ? quarter : free
        }
    }

    private static func tone(using generator: inout some RandomNumberGenerator) -> any TransformStep {
        // Never 1, which makes no step.
        let factor = decimal(1_000_001...10_000_000, using: &generator)
        let mode = BlendMode.allCases.filter { $0 != .dest }.randomElement(using: &generator) ?? .over
        let steps: [any TransformStep] = [
            BrightnessStep(factor: factor), OffsetStep(red: factor, green: factor, blue: FixedDecimal(-3)),
            ContrastStep(factor: factor), SaturationStep(factor: factor),
            GammaStep(factor: factor), HueStep(degrees: decimal(1...359_999_999, using: &generator)),
            PixelateStep(block: .random(in: 2...PixelateStep.largestBlock, using: &generator)),
            TintStep(color: color(using: &generator), mode: mode), FilterStep(filter: filter(using: &generator)),
        ]
        return steps[Int.random(in: 0..<steps.count, using: &generator)]
    }

    private static func filter(using generator: inout some RandomNumberGenerator) -> any NamedFilter {
        let (dark, light) = (color(using: &generator).opaque, color(using: &generator).opaque)
        let filters: [any NamedFilter] = [
            GrayscaleFilter(), SepiaFilter(), InvertFilter(), DuotoneFilter(dark: dark, light: light),
            MonochromeFilter(color: dark), VignetteFilter(strength: decimal(1...1_000_000, using: &generator)),
        ]
        return filters[Int.random(in: 0..<filters.count, using: &generator)]
    }

    private static func pad(using generator: inout some RandomNumberGenerator) -> PadStep {
        if Bool.random(using: &generator) { return canvas(using: &generator) }
        let widths = (0..<4).map { _ in Int.random(in: 0...PadStep.widest, using: &generator) }
        return PadStep(
            top: widths[0] + (widths[0] < PadStep.widest ? 1 : 0),
            right: widths[1],
            bottom: widths[2],
            left: widths[3]
        )
    }

    private static func canvas(using generator: inout some RandomNumberGenerator) -> PadStep {
        let stated = gravity(using: &generator)
        let gravity = stated.needsPixels ? .center : stated
        if Bool.random(using: &generator) { return PadStep(extent: .ratio(ratio(using: &generator), gravity: gravity)) }
        return PadStep(
            extent: .sides(
                width: .pixels(side(using: &generator)),
                height: .percent(decimal(100_000_000...1_000_000_000, using: &generator)),
                gravity: gravity
            )
        )
    }

    private static func ratio(using generator: inout some RandomNumberGenerator) -> AspectRatio {
        AspectRatio(width: side(using: &generator), height: side(using: &generator))
    }

    private static func radius(using generator: inout some RandomNumberGenerator) -> RoundStep.Radius {
        switch Int.random(in: 0...2, using: &generator) {
        case 0: .pixels(decimal(0...16_384_000_000, using: &generator))
        case 1: .percent(decimal(1...49_999_999, using: &generator))
        default: .maximum
        }
    }

    private static func crop(gravity: Gravity, using generator: inout some RandomNumberGenerator) -> CropStep {
        let sides = (0..<2).map { _ in
            Bool.random(using: &generator)
                ? Measure.pixels(side(using: &generator))
                : .percent(decimal(1...100_000_000, using: &generator))
        }
        switch Int.random(in: 0...3, using: &generator) {
        case 0: return CropStep(area: .placed(width: sides[0], height: sides[1], gravity: gravity))
        case 1:
            let own = self.gravity(using: &generator)
            return CropStep(area: .placed(width: sides[0], height: sides[1], gravity: own), statesGravity: true)
        case 2: return CropStep(area: .ratio(ratio(using: &generator), gravity: gravity))
        default: break
        }
        return CropStep(
            area: .rectangle(
                x: .pixels(.random(in: -1000...20_000, using: &generator)),
                y: .percent(decimal(-100_000_000...100_000_000, using: &generator)),
                width: sides[0],
                height: sides[1]
            )
        )
    }

    private static func settings(using generator: inout some RandomNumberGenerator) -> PlanSettings {
        let format = FormatSetting.allCases.randomElement(using: &generator) ?? .auto
        return PlanSettings(
            background: Bool.random(using: &generator) ? color(using: &generator) : nil,
            format: format,
            quality: quality(using: &generator),
            metadata: MetadataPolicy.allCases.randomElement(using: &generator) ?? .strip,
            encoding: encoding(for: format, using: &generator),
            dpi: [nil, 1, 71, 73, 1200].randomElement(using: &generator) ?? nil,
            animation: animation(using: &generator),
            isStrict: Bool.random(using: &generator),
            pixel: format == .json ? PixelPoint(x: 3, y: .random(in: 0...65_535, using: &generator)) : nil
        )
    }

    private static func quality(using generator: inout some RandomNumberGenerator) -> QualitySetting {
        switch Int.random(in: 0...4, using: &generator) {
        case 0: return .number(.random(in: 1...100, using: &generator))
        case 1: return .search(nil)
        case 2: return .search(PerceptualLevel.allCases.randomElement(using: &generator))
        case 3:
            let formats = LossyFormat.allCases.shuffled(using: &generator).prefix(.random(in: 1...4, using: &generator))
            // Few numbers, so that some are equal.
            let numbers = formats.map { ($0, Int.random(in: 1...2, using: &generator)) }
            return .byFormat(Dictionary(uniqueKeysWithValues: numbers))
        default: return .standard
        }
    }

    private static func animation(using generator: inout some RandomNumberGenerator) -> AnimationSettings {
        let frame = Bool.random(using: &generator) ? Int.random(in: AnimationSettings.frames, using: &generator) : nil
        let first = Int.random(in: 0...99, using: &generator)
        let range = frame == nil && Bool.random(using: &generator) ? first...first + 3 : nil
        let modes: [AnimationMode] = [.auto, .first, frame == nil ? .keep : .auto]
        return AnimationSettings(
            mode: modes.randomElement(using: &generator) ?? .auto,
            frame: frame,
            range: range,
            page: [0, 1, 9_999].randomElement(using: &generator) ?? 0,
            speed: decimal(100_000...10_000_000, using: &generator),
            loop: [nil, 0, 1, 65_535].randomElement(using: &generator) ?? nil,
            isReversed: Bool.random(using: &generator)
        )
    }

    private static func encoding(
        for format: FormatSetting,
        using generator: inout some RandomNumberGenerator
    ) -> EncodingSettings {
        func number(_ range: ClosedRange<Int>) -> Int? {
            Bool.random(using: &generator) ? Int.random(in: range, using: &generator) : nil
        }
        return EncodingSettings(
            isLossless: format != .jpeg && Bool.random(using: &generator),
            isProgressive: Bool.random(using: &generator),
            effort: number(0...9),
            chroma: ChromaSetting.allCases.randomElement(using: &generator) ?? .auto,
            nearLossless: number(0...99),
            usesSharpYUV: Bool.random(using: &generator),
            alphaQuality: number(0...100),
            maximumBytes: number(1...999_999_999)
        )
    }
}

extension Color {
    fileprivate var opaque: Color { Color(red: red, green: green, blue: blue) }
}
