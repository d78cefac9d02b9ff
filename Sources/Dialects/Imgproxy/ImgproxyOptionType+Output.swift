import ImagePlan

extension ImgproxyOptionType {
    /// The options about the file that is written.
    static let output: [ImgproxyOptionType] = [
        ImgproxyOptionType("format", "f", "ext") { (option, options) throws(RequestError) in
            options.format = try ImgproxyFormat(try option.single(), by: option)
        },
        ImgproxyOptionType("quality", "q") { (option, options) throws(RequestError) in
            let quality = try option.singleInteger(in: 0...100)
            options.quality = quality == 0 ? nil : quality
        },
        ImgproxyOptionType("format_quality", "fq") { (option, options) throws(RequestError) in
            guard option.arguments.count.isMultiple(of: 2) else {
                throw option.error("takes pairs of format and quality")
            }
            for index in stride(from: 0, to: option.arguments.count, by: 2) {
                let format = try ImgproxyFormat(option.arguments[index], by: option)
                guard let quality = try option.integer(index + 1, in: 0...100) else {
                    throw option.error("has no quality for \(format.rawValue)")
                }
                // Qualities of lossless formats have no effect in imgproxy, and 0 is the default.
                guard !format.isLossless else { continue }
                guard let lossy = LossyFormat(rawValue: format.rawValue) else {
                    throw option.error("cannot have \(option.arguments[index]), which has no quality here")
                }
                options.formatQualities[lossy] = quality == 0 ? nil : quality
            }
        },
        ImgproxyOptionType("autoquality", "aq") { (option, options) throws(RequestError) in
            guard let method = try option.word(0, of: ["none", "size", "dssim", "ml"]) else {
                throw option.error("has no method")
            }
            let rest = option.arguments.dropFirst().filter { !$0.isEmpty }
            switch method {
            case "none": options.seeksQuality = false
            case "size":
                guard let target = try option.integer(1, in: EncodingSettings.byteCounts), rest.count == 1 else {
                    throw option.error("takes size:BYTES; limits of the quality cannot be said")
                }
                options.maximumBytes = target
            default:
                guard rest.isEmpty else {
                    throw option.error("has a target on a scale of its own; without it, \(method) is q=auto")
                }
                options.seeksQuality = true
            }
        },
        ImgproxyOptionType("max_bytes", "mb") { (option, options) throws(RequestError) in
            let bytes = try option.singleInteger(in: 0...EncodingSettings.byteCounts.upperBound)
            options.maximumBytes = bytes == 0 ? nil : bytes
        },
        ImgproxyOptionType("strip_metadata", "sm") { (option, options) throws(RequestError) in
            options.stripsMetadata = try option.singleFlag()
        },
        ImgproxyOptionType("keep_copyright", "kcr") { (option, options) throws(RequestError) in
            options.keepsCopyright = try option.singleFlag()
        },
        ImgproxyOptionType("strip_color_profile", "scp") { (option, _) throws(RequestError) in
            guard try option.singleFlag() else { throw option.error("cannot be off: results are sRGB") }
        },
        ImgproxyOptionType("color_profile", "cp", "icc") { (option, _) throws(RequestError) in
            guard try option.single() == "srgb" else { throw option.error("can only be srgb") }
        },
        ImgproxyOptionType("preserve_hdr", "ph") { (option, _) throws(RequestError) in
            guard try !option.singleFlag() else { throw option.error("cannot be on: results have 8 bits per channel") }
        },
        ImgproxyOptionType("enforce_thumbnail", "eth") { (option, _) throws(RequestError) in
            guard try !option.singleFlag() else { throw option.error("cannot be on: the main image is always used") }
        },
        ImgproxyOptionType("resizing_algorithm", "ra") { (option, _) throws(RequestError) in
            guard try option.single() == "lanczos3" else { throw option.error("can only be lanczos3") }
        },
        // The scan and quantisation options, and presets, tune encoders that differ here; they are read and have no effect.
        ImgproxyOptionType("jpeg_options", "jpgo") { (option, options) throws(RequestError) in
            try option.takes(atMost: 6)
            options.jpeg.isProgressive = try option.flag(0) ?? options.jpeg.isProgressive
            options.jpeg.isFullChroma = try option.flag(1) ?? options.jpeg.isFullChroma
            for index in 2...4 { _ = try option.flag(index) }
            _ = try option.integer(5, in: 0...8)
        },
        ImgproxyOptionType("png_options", "pngo") { (option, options) throws(RequestError) in
            try option.takes(atMost: 3)
            options.png.isInterlaced = try option.flag(0) ?? options.png.isInterlaced
            guard try option.flag(1) != true else {
                throw option.error(
                    "cannot quantize to a number of colours; format=png with q makes a palette, in a preset"
                )
            }
            _ = try option.integer(2, in: 2...256)
        },
        ImgproxyOptionType("webp_options", "webpo") { (option, options) throws(RequestError) in
            try option.takes(atMost: 3)
            switch try option.word(0, of: ["lossy", "near_lossless", "lossless"]) {
            case "near_lossless": throw option.error("cannot be near_lossless; lossless can")
            case let word?: options.webp.lossless = Stated(word == "lossless", by: option)
            case nil: break
            }
            options.webp.isSharp = try option.flag(1) ?? options.webp.isSharp
            _ = try option.word(2, of: ["default", "picture", "photo", "drawing", "icon", "text"])
        },
        ImgproxyOptionType("avif_options", "avifo") { (option, options) throws(RequestError) in
            try option.takes(atMost: 1)
            let chroma = try option.word(0, of: ["auto", "on", "off"])
            options.avif.chroma = chroma == "on" ? "420" : chroma == "off" ? "444" : nil
        },
        ImgproxyOptionType("page", "pg") { (option, options) throws(RequestError) in
            options.page = Stated(try option.singleInteger(in: AnimationSettings.pages), by: option)
        },
        ImgproxyOptionType("pages", "pgs") { (option, _) throws(RequestError) in
            guard try option.singleInteger(in: 0...AnimationSettings.pages.upperBound) <= 1 else {
                throw option.error("can only be 1: pages are not stacked")
            }
        },
        ImgproxyOptionType("disable_animation", "da") { (option, options) throws(RequestError) in
            options.isStill = try option.singleFlag()
        },
    ]
}
