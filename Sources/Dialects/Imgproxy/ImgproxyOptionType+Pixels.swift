import ImagePlan

extension ImgproxyOptionType {
    private static let fractions = FixedDecimal(0)...FixedDecimal(1)
    private static let toneFactors = FixedDecimal(0)...FixedDecimal(10)
    private static let none = FixedDecimal(0)

    /// The options that change colours and pixels.
    static let pixels: [ImgproxyOptionType] = [
        ImgproxyOptionType("background", "bg") { (option, options) throws(RequestError) in
            switch option.arguments.count {
            case 1: options.background = try option.color(0)
            case 3:
                var channels: [UInt8] = []
                for index in 0..<3 {
                    guard let channel = try option.integer(index, in: 0...255) else {
                        throw option.error("must have three numbers from 0 to 255, or a colour in hexadecimal digits")
                    }
                    channels.append(UInt8(channel))
                }
                options.background = Color(red: channels[0], green: channels[1], blue: channels[2])
            default: throw option.error("takes R:G:B, or a colour in hexadecimal digits")
            }
        },
        ImgproxyOptionType("background_alpha", "bga") { (option, options) throws(RequestError) in
            options.backgroundAlpha = try option.singleNumber(in: fractions)
        },
        ImgproxyOptionType("adjust", "a") { (option, options) throws(RequestError) in
            try option.takes(atMost: 3)
            options.brightness = try option.integer(0, in: -255...255) ?? options.brightness
            options.contrast = try option.number(1, in: toneFactors) ?? options.contrast
            options.saturation = try option.number(2, in: toneFactors) ?? options.saturation
        },
        ImgproxyOptionType("brightness", "br") { (option, options) throws(RequestError) in
            options.brightness = try option.singleInteger(in: -255...255)
        },
        // `co` is also documented for crop_objects, which takes names after the number.
        ImgproxyOptionType("contrast", "co") { (option, options) throws(RequestError) in
            guard option.arguments.count <= 1 else {
                throw option.error(
                    "with names is crop_objects: objects are not detected; gravity=subject finds what stands out"
                )
            }
            options.contrast = try option.singleNumber(in: toneFactors)
        },
        ImgproxyOptionType("saturation", "sa") { (option, options) throws(RequestError) in
            options.saturation = try option.singleNumber(in: toneFactors)
        },
        ImgproxyOptionType("monochrome", "mc") { (option, options) throws(RequestError) in
            try option.takes(atMost: 2)
            let color = try option.color(1) ?? Color(red: 0xB3, green: 0xB3, blue: 0xB3)
            options.monochrome = try isFull(option) ? color : nil
        },
        ImgproxyOptionType("duotone", "dt") { (option, options) throws(RequestError) in
            try option.takes(atMost: 3)
            let colors = (try option.color(1) ?? .black, try option.color(2) ?? .white)
            options.duotone = try isFull(option) ? colors : nil
        },
        ImgproxyOptionType("colorize", "col") { (option, options) throws(RequestError) in
            try option.takes(atMost: 3)
            guard let opacity = try option.number(0, in: fractions) else { throw option.error("has no value") }
            let color = try option.color(1) ?? .black
            let keepsAlpha = try option.flag(2) ?? false
            let alpha = color.with(opacity: opacity)
            options.colorize = alpha.alpha == 0 ? nil : (alpha, keepsAlpha)
        },
        ImgproxyOptionType("blur", "bl") { (option, options) throws(RequestError) in
            options.blur = try sigma(option, atMost: 250)
        },
        ImgproxyOptionType("sharpen", "sh") { (option, options) throws(RequestError) in
            options.sharpen = try sigma(option, atMost: 10)
        },
        ImgproxyOptionType("pixelate", "pix") { (option, options) throws(RequestError) in
            let block = try option.singleInteger(in: 0...PixelateStep.largestBlock)
            options.pixelate = block > 1 ? block : nil
        },
        ImgproxyOptionType("watermark", "wm") { (option, _) throws(RequestError) in
            try option.takes(atMost: 7)
            guard let opacity = try option.number(0, in: fractions) else { throw option.error("has no value") }
            guard opacity == none else {
                throw option.error(
                    "has an image that only imgproxy's configuration names; write it into a preset as "
                        + "watermark=SOURCE/PATH,PLACE,X,Y,SCALE,OPACITY"
                )
            }
        },
    ]

    /// Whether an effect has its full intensity; `false` if it has none.
    private static func isFull(_ option: ImgproxyOption) throws(RequestError) -> Bool {
        guard let intensity = try option.number(0, in: fractions) else { throw option.error("has no value") }
        guard intensity == none || intensity == FixedDecimal(1) else {
            throw option.error("must have an intensity of 0 or 1: the effect cannot be mixed with the image")
        }
        return intensity != none
    }

    /// A standard deviation; `nil` for none.
    private static func sigma(_ option: ImgproxyOption, atMost largest: Int) throws(RequestError) -> FixedDecimal? {
        let sigma = try option.singleNumber(in: none...FixedDecimal(largest))
        guard sigma == none || sigma >= FixedDecimal(millionths: 300_000) else {
            throw option.error("must be 0, or a number from 0.3 to \(largest)")
        }
        return sigma == none ? nil : sigma
    }
}

extension Color {
    /// The colour with an alpha in place of its own.
    ///
    /// - Parameter opacity: 0–1.
    func with(opacity: FixedDecimal) -> Color {
        let alpha = (opacity.millionths * 255 + 500_000) / 1_000_000
        return Color(red: red, green: green, blue: blue, alpha: UInt8(max(0, min(255, alpha))))
    }
}
