import EdgeprintURL
import ImagePlan

/// Random calls of the builder, each with the step of the server's plan that it stands for.
struct RandomTransform {
    typealias Call = (transform: ImageTransform, steps: [any TransformStep])

    private var generator: any RandomNumberGenerator

    init(_ generator: some RandomNumberGenerator) {
        self.generator = generator
    }

    /// A transform of up to eight steps and some settings, and the plan that it must mean.
    mutating func make() -> (transform: ImageTransform, plan: Plan) {
        let gravity = gravity()
        var call: Call = (ImageTransform(), [])
        var usesGravity = false
        let resize = Int.random(in: 0...8, using: &generator)
        for index in 0..<Int.random(in: 1...8, using: &generator) {
            if index == resize {
                addResize(&call, gravity.step)
                usesGravity = true
            } else if Int.random(in: 0..<6, using: &generator) == 0 {
                let width = side()
                call.transform = call.transform.crop(width: .pixels(width), height: .percent(50))
                call.steps.append(
                    CropStep(
                        area: .placed(
                            width: .pixels(width),
                            height: .percent(FixedDecimal(50)),
                            gravity: gravity.step
                        )
                    )
                )
                usesGravity = true
            } else {
                add(&call)
            }
        }
        if usesGravity { call.transform = call.transform.gravity(gravity.builder) }
        var settings = PlanSettings()
        call.transform = addSettings(call.transform, &settings)
        return (call.transform, Plan(steps: call.steps, settings: settings))
    }

    private mutating func addResize(_ call: inout Call, _ gravity: ImagePlan.Gravity) {
        let (width, height) = (side(), side())
        let fit = EdgeprintURL.Fit.allCases.randomElement(using: &generator) ?? .contain
        let (enlarges, isLinear) = (Bool.random(using: &generator), Bool.random(using: &generator))
        call.transform = call.transform.resize(width: width, height: height, fit: fit)
        if enlarges { call.transform = call.transform.enlarging() }
        if isLinear { call.transform = call.transform.inLinearLight() }
        call.steps.append(
            ResizeStep(
                width: width,
                height: height,
                fit: ImagePlan.Fit(rawValue: fit.rawValue) ?? .contain,
                gravity: gravity,
                enlarge: enlarges,
                isLinear: isLinear
            )
        )
    }

    private mutating func add(_ call: inout Call) {
        let (transform, before) = (call.transform, call.steps)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0:
            let sigma = millionths(300_000...250_000_000)
            call = (transform.blur(sigma.value), before + [BlurStep(sigma: sigma)])
        case 1:
            let sigma = millionths(300_000...10_000_000)
            call = (transform.sharpen(sigma.value), before + [SharpenStep(sigma: sigma)])
        case 2:
            let block = Int.random(in: 2...16_384, using: &generator)
            call = (transform.pixelate(block), before + [PixelateStep(block: block)])
        case 3:
            let direction = FlipDirection.allCases.randomElement(using: &generator) ?? .both
            let flip = FlipStep(direction: .init(rawValue: direction.rawValue) ?? .both)
            call = (transform.flip(direction), before + [flip])
        case 4:
            let degrees = millionths(-720_000_000...720_000_000)
            guard degrees.millionths % 360_000_000 != 0 else { return }
            call = (transform.rotate(degrees: degrees.value), before + [RotateStep(degrees: degrees)])
        case 5:
            let factor = millionths(0...900_000)
            call = (transform.brightness(factor.value), before + [BrightnessStep(factor: factor)])
        case 6:
            let factor = millionths(1_000_001...10_000_000)
            call = (transform.contrast(factor.value), before + [ContrastStep(factor: factor)])
        case 7:
            let factor = millionths(0...900_000)
            call = (transform.saturation(factor.value), before + [SaturationStep(factor: factor)])
        case 8:
            let degrees = millionths(1...359_999_999)
            call = (transform.hue(degrees: degrees.value), before + [HueStep(degrees: degrees)])
        case 9:
            let gamma = millionths(100_000...900_000)
            call = (transform.gamma(gamma.value), before + [GammaStep(factor: gamma)])
        case 10:
            let color = color()
            let mode =
                EdgeprintURL.BlendMode.allCases.filter { $0 != .destination }.randomElement(using: &generator) ?? .atop
            let tint = TintStep(color: color.step, mode: .init(rawValue: mode.rawValue) ?? .sourceAtop)
            call = (transform.tint(color.builder, mode: mode), before + [tint])
        case 11:
            let (top, left) = (Int.random(in: 0...99, using: &generator), Int.random(in: 1...99, using: &generator))
            let pad = PadStep(top: top, right: 0, bottom: 7, left: left)
            call = (transform.pad(top: top, bottom: 7, left: left), before + [pad])
        case 12:
            let threshold = Int.random(in: 1...255, using: &generator)
            call = (transform.trim(threshold: threshold), before + [TrimStep(threshold: threshold)])
        case 13:
            let shape = MaskShape.allCases.randomElement(using: &generator) ?? .circle
            call = (transform.mask(shape), before + [MaskStep(shape: .init(rawValue: shape.rawValue) ?? .circle)])
        case 14:
            let radius = millionths(1...16_384_000_000)
            let round = RoundStep(
                topLeft: .pixels(radius),
                topRight: .percent(FixedDecimal(25)),
                bottomRight: .maximum,
                bottomLeft: .pixels(FixedDecimal(0))
            )
            let built = transform.round(topLeft: .pixels(radius.value), topRight: .percent(25), bottomRight: .maximum)
            call = (built, before + [round])
        default:
            let (color, width) = (color(), millionths(1...16_384_000_000))
            let border = BorderStep(width: width, color: color.step)
            call = (transform.border(width: width.value, color.builder), before + [border])
        }
    }

    private mutating func addSettings(_ transform: ImageTransform, _ settings: inout PlanSettings) -> ImageTransform {
        var result = transform
        if Bool.random(using: &generator) {
            let color = color()
            result = result.background(color.builder)
            settings.background = color.step.alpha == 0 ? nil : color.step
        }
        if Bool.random(using: &generator) {
            let format = [OutputFormat.webp, .avif, .png, .gif].randomElement(using: &generator) ?? .webp
            result = result.format(format)
            settings.format = FormatSetting(rawValue: format.rawValue) ?? .auto
        }
        if Bool.random(using: &generator) {
            let quality = Int.random(in: 1...100, using: &generator)
            result = result.quality(.number(quality))
            settings.quality = .number(quality)
        }
        if Bool.random(using: &generator) {
            let speed = millionths(100_000...10_000_000)
            result = result.speed(speed.value).loop(3)
            settings.animation.speed = speed
            settings.animation.loop = 3
        }
        return result
    }

    private mutating func side() -> Int {
        Int.random(in: 1...1 << Int.random(in: 0...14, using: &generator), using: &generator)
    }

    private mutating func millionths(_ range: ClosedRange<Int>) -> FixedDecimal {
        FixedDecimal(millionths: Int.random(in: range, using: &generator))
    }

    private mutating func color() -> (builder: ImageColor, step: Color) {
        let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let alpha = Bool.random(using: &generator) ? 255 : bytes[3]
        return (
            ImageColor(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: alpha),
            Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: alpha)
        )
    }

    private mutating func gravity() -> (builder: EdgeprintURL.Gravity, step: ImagePlan.Gravity) {
        let (x, y) = (millionths(0...1_000_000), millionths(0...1_000_000))
        let half = FixedDecimal(millionths: 500_000)
        return [
            (.attention, .attention), (.entropy, .entropy), (.subject, .subject), (.center, .center),
            (.point(x: x.value, y: y.value), .point(x: x, y: y)),
            (.northwest, .point(x: FixedDecimal(0), y: FixedDecimal(0))),
            (
                .east.offset(x: 5, y: .percent(-10)),
                .offset(
                    x: FixedDecimal(1),
                    y: half,
                    by: .init(x: .pixels(5), y: .percent(FixedDecimal(-10)))
                )
            ),
        ].randomElement(using: &generator) ?? (.center, .center)
    }
}
