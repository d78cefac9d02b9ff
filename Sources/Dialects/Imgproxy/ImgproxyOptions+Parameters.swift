import ImagePlan

extension ImgproxyOptions {
    /// The options in our language: steps in the order of imgproxy's pipeline, then settings.
    ///
    /// The pipeline trims, turns, crops, resizes, filters, extends and pads, whatever the order in the URL.
    ///
    /// - Throws: 400, naming the option that cannot be said.
    func parameters(of image: Translation.Image) throws(RequestError) -> [Parameter] {
        var parameters: [Parameter] = []
        if !isRaw {
            if let cropRatio, cropRatio.value.millionths > 0, cropWidth.millionths > 0 || cropHeight.millionths > 0 {
                throw RequestError(
                    parameter: cropRatio.option,
                    reason: "cannot be said beside crop, whose area it would change; state the area"
                )
            }
            if let preset { parameters.append(Parameter("preset", preset.value)) }
            let framing = try ImgproxyFraming(self)
            parameters += preparing + framing.resize + effects + framing.canvas
            parameters += framing.attributes + colors + (try encoding(of: image))
        }
        if let expires { parameters.append(Parameter("exp", String(expires))) }
        if let filename { parameters.append(Parameter("filename", try completed(filename))) }
        if isAttachment { parameters.append(Parameter("download", "1")) }
        return parameters
    }

    /// A file name with the extension of the format, if the URL states that.
    private func completed(_ name: Stated<String>) throws(RequestError) -> String {
        guard !isRaw, let format else { return name.value }
        let completed = FileName.completed(name.value, for: format.name)
        guard completed.utf8.count <= ImgproxyOptionType.longestFilename else {
            throw RequestError(
                parameter: name.option,
                reason: "becomes \(completed), which is longer than \(ImgproxyOptionType.longestFilename) bytes"
            )
        }
        return completed
    }

    /// Whether steps between the resize and the canvas would see the canvas if it were part of the resize.
    var hasEffects: Bool { !effects.isEmpty }

    /// What comes before the resize.
    private var preparing: [Parameter] {
        var steps: [Parameter] = []
        if let trim { steps.append(Parameter("trim", String(trim))) }
        if rotation != 0 { steps.append(Parameter("rotate", String(rotation))) }
        if flipsHorizontally || flipsVertically {
            steps.append(Parameter("flip", (flipsHorizontally ? "h" : "") + (flipsVertically ? "v" : "")))
        }
        let own = cropGravity ?? gravity ?? ImgproxyGravity()
        let place = own.isCenter ? "" : "," + own.text(scaledBy: FixedDecimal(1))
        if cropWidth.millionths > 0 || cropHeight.millionths > 0 {
            steps.append(Parameter("crop", "\(Self.side(cropWidth))x\(Self.side(cropHeight))" + place))
        } else if let ratio = cropRatio?.value, ratio.millionths > 0 {
            steps.append(Parameter("crop", AspectRatio(width: ratio.millionths, height: 1_000_000).text + place))
        }
        return steps
    }

    /// A side of a crop: pixels from 1 on, a fraction below, and the whole side for 0.
    private static func side(_ length: FixedDecimal) -> String {
        if length.millionths == 0 { return "100%" }
        guard length < FixedDecimal(1) else { return String(length.millionths / 1_000_000) }
        return FixedDecimal(millionths: length.millionths * 100).text + "%"
    }

    /// What comes after the resize and before the canvas.
    private var effects: [Parameter] {
        var steps: [Parameter] = []
        let neutral = FixedDecimal(1)
        if brightness != 0 { steps.append(Parameter("offset", String(brightness))) }
        if contrast != neutral { steps.append(Parameter("contrast", contrast.text)) }
        if saturation != neutral { steps.append(Parameter("saturation", saturation.text)) }
        if let monochrome { steps.append(Parameter("filter", "monochrome:\(monochrome.text)")) }
        if let duotone { steps.append(Parameter("filter", "duotone:\(duotone.dark.text),\(duotone.light.text)")) }
        if let blur { steps.append(Parameter("blur", blur.text)) }
        if let sharpen { steps.append(Parameter("sharpen", sharpen.text)) }
        if let pixelate { steps.append(Parameter("pixelate", String(pixelate))) }
        if let colorize { steps.append(Parameter("tint", colorize.color.text + (colorize.keepsAlpha ? "" : ",over"))) }
        return steps
    }

    private var colors: [Parameter] {
        guard let background, backgroundAlpha.millionths > 0 else { return [] }
        return [Parameter("bg", background.with(opacity: backgroundAlpha).text)]
    }
}
