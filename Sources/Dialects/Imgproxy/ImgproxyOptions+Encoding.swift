import ImagePlan

extension ImgproxyOptions {
    /// The format, what its encoder does, and which frames and metadata stay.
    ///
    /// Without a format, imgproxy keeps that of the image.
    func encoding(of image: Translation.Image) throws(RequestError) -> [Parameter] {
        let frame = try frame(of: image)
        var settings = frame == nil && (isStill || format?.isStill == true) ? [Parameter("anim", "first")] : []
        if format != nil || preset == nil { settings.append(Parameter("format", format?.name ?? "source")) }
        if format?.isLossless != true {
            if let quality = qualityText { settings.append(Parameter("q", quality)) }
            if let maximumBytes, hasLimit { settings.append(Parameter("max_bytes", String(maximumBytes))) }
        }
        settings += try encoders()
        if stripsMetadata == false {
            settings.append(Parameter("meta", "keep"))
        } else if keepsCopyright == true {
            settings.append(Parameter("meta", "copyright"))
        } else if stripsMetadata != nil || keepsCopyright != nil {
            settings.append(Parameter("meta", "strip"))
        }
        if let frame { settings.append(frame) }
        return settings
    }

    /// The one frame or page that is used, by the name of the image; `nil` if it is the first one, or all.
    private func frame(of image: Translation.Image) throws(RequestError) -> Parameter? {
        guard let page, page.value > 0 else { return nil }
        if FileName.isAnimation(image) { return Parameter("frame", String(page.value)) }
        guard !isStill else {
            throw RequestError(
                parameter: page.option,
                reason:
                    "cannot be combined with disable_animation: frames and pages are different parameters, frame and page"
            )
        }
        return Parameter("page", String(page.value))
    }

    /// Whether the encoder has a quality to lower for `max_bytes`; imgproxy serves results above a limit that it cannot keep.
    private var hasLimit: Bool { format != .tiff && !(format == .webp && webp.lossless?.value == true) }

    /// The value of our `q`.
    private var qualityText: String? {
        if seeksQuality { return "auto" }
        if let quality { return String(quality) }
        let kept = formatQualities.filter { format.mayBe(ImgproxyFormat(rawValue: $0.key.rawValue) ?? .best) }
        guard !kept.isEmpty else { return nil }
        return kept.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue):\($0.value)" }
            .joined(separator: ",")
    }

    /// The options of encoders that the result can have.
    private func encoders() throws(RequestError) -> [Parameter] {
        var settings: [Parameter] = []
        if jpeg.isProgressive && format.mayBe(.jpeg) || png.isInterlaced && format.mayBe(.png) {
            settings.append(Parameter("progressive", "1"))
        }
        if jpeg.isFullChroma, format.mayBe(.jpeg) {
            settings.append(Parameter("chroma", "444"))
        } else if let chroma = avif.chroma, format.mayBe(.avif) {
            settings.append(Parameter("chroma", chroma))
        }
        if let lossless = webp.lossless, lossless.value {
            if format == .webp {
                settings.append(Parameter("lossless", "1"))
            } else if format.mayBe(.webp) {
                throw RequestError(
                    parameter: lossless.option,
                    reason: "can only be lossless if the URL names webp: lossless=1 here is about every format"
                )
            }
        }
        if webp.isSharp, format.mayBe(.webp) { settings.append(Parameter("sharp_yuv", "1")) }
        return settings
    }
}
