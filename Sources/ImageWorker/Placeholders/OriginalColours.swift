import CLCMS
import CVips
import ImagePlan

/// The colours of the original and of one pixel of the result, for `format=json`.
extension OutputMaker {
    /// Returns the colour of a pixel of a plan's result.
    ///
    /// - Throws: `RequestError` (422) for a pixel outside the result, and the errors of the steps.
    func pixel(_ point: PixelPoint, _ plan: Plan) throws -> PictureDescription.Pixel {
        let steps = try PlanGeometry.resolve(plan, source: facts.orientedSize, maximumPixels: maximumPixels)
        let asks = plan.settings.animation.stillFrame != nil
        let choice = asks ? try chooseFrames(plan, facts.orientedSize).choice : .still(frame: 0)
        var canvas = try load(plan, steps, .png, choice).0
        try apply(steps, of: plan, to: &canvas)
        try canvas.settle()
        try canvas.layBackground(plan.background, formatHasAlpha: true)
        let size = canvas.shape.size
        guard point.x < size.width, point.y < size.height else {
            throw RequestError(
                parameter: PlanSetting.pixel.name,
                reason: "is \(point.text), but the result is \(size)",
                status: .unprocessable
            )
        }
        try deadline.check()
        let one = try canvas.frames[0].cropped(left: point.x, top: point.y, width: 1, height: 1)
        deadline.watch(one)
        let values = try one.withAlpha().pixelBytes()
        let color = Color(red: values[0], green: values[1], blue: values[2], alpha: values[3])
        return PictureDescription.Pixel(point: point, color: color)
    }

    /// Reads the colour encoding of the original.
    func colours() throws -> PictureDescription.Colours { try decoder.colours() }
}

extension SourceDecoder {
    /// Reads the colour encoding of the source; for a mezzanine, that of the reduced copy.
    fileprivate func colours() throws -> PictureDescription.Colours {
        let raster = try open()
        let stated = statedColour
        var colours = PictureDescription.Colours()
        colours.depth = depth(of: raster)
        // A profile that was made from code points is not one of the file.
        let profile = raster.bytes(VIPS_META_ICC_NAME)
        let isMade = statesNumbersAlone || profile == stated?.profile(isGrey: raster.bands < 3)
        let isOwn = profile != nil && !isMade
        colours.profile = isOwn ? profile.flatMap(ProfileName.read) : nil
        colours.space = raster.space(stated, profile: isOwn ? colours.profile ?? "" : nil)
        colours.isHDR = stated?.isHDR == true || mentionsGainMap
        return colours
    }
}

extension StatedColour {
    /// Whether the transfer function is one of high dynamic range.
    fileprivate var isHDR: Bool { transfer == .perceptualQuantizer || transfer == .hybridLogGamma }

    /// The common name of the primaries; `nil` for others.
    fileprivate var name: String? {
        if primaries.areSRGB { return "srgb" }
        return [(12, "display-p3"), (9, "bt2020"), (11, "dci-p3")].first { point, _ in
            StatedColour(primaries: point, transfer: 13)?.primaries == primaries
        }?.1
    }
}

extension Raster {
    /// Returns the name of the colour space.
    ///
    /// - Parameter profile: the description of the file's own profile; `nil` without one.
    fileprivate func space(_ stated: StatedColour?, profile: String?) -> String {
        switch interpretation {
        case VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16: return "gray"
        case VIPS_INTERPRETATION_CMYK: return "cmyk"
        case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABS: return "lab"
        default: break
        }
        guard let profile else { return stated.map { $0.name ?? "rgb" } ?? "srgb" }
        let names = [
            ("sRGB", "srgb"), ("Display P3", "display-p3"), ("P3", "display-p3"), ("Adobe RGB", "adobe-rgb"),
            ("ProPhoto", "prophoto-rgb"), ("2020", "bt2020"), ("2100", "bt2020"),
        ]
        return names.first { profile.contains($0.0) }?.1 ?? "rgb"
    }
}

/// The description in an ICC profile (ICC.1 §9.2.41).
enum ProfileName {
    private static let longest = 128

    /// Reads the English description; `nil` if there is none.
    static func read(_ profile: [UInt8]) -> String? {
        let opened = unsafe profile.withUnsafeBytes { unsafe cmsOpenProfileFromMem($0.baseAddress, UInt32($0.count)) }
        guard let opened = unsafe opened else { return nil }
        defer { unsafe cmsCloseProfile(opened) }
        var text = [CChar](repeating: 0, count: longest)
        let count = unsafe cmsGetProfileInfoASCII(opened, cmsInfoDescription, "en", "US", &text, UInt32(text.count))
        guard count > 1 else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // Control characters would become escapes in JSON; names have none.
        return String(decoding: bytes.filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}
