/// What a plan does to one particular original.
///
/// Plans with equal effects give byte-identical results: `w=1204` and `w=3000` of an image of 1204 px have the same effect, and so
/// has a setting that equals its default. Only equalities that follow from the geometry and from the encoders' settings count.
/// The sniffed header may be wrong, so a result is shared only if it `matches` the prediction.
package struct PlanEffect: Hashable, Sendable {
    /// The effect as canonical text, for cache keys.
    package let text: String
    /// The format of the result; `nil` if only the worker can tell.
    package let format: ImageFormat?
    /// The size of the result; `nil` if it depends on the pixels.
    package let size: PixelSize?

    /// The settings of a source that decide how its results are encoded, besides the plan.
    package struct Encoding: Hashable, Sendable {
        /// The bucket of `format=auto`; `nil` if the plan names its format.
        package var bucket: FormatBucket?
        package var quality: QualityDefaults
        /// The formats that results may not have.
        package var unwritten: Set<ImageFormat>
        /// Whether `format=auto` takes the smallest of several formats.
        package var takesSmallest: Bool

        /// Creates the settings.
        package init(
            bucket: FormatBucket?,
            quality: QualityDefaults = QualityDefaults(),
            unwritten: Set<ImageFormat> = [],
            takesSmallest: Bool = false
        ) {
            self.bucket = bucket
            self.quality = quality
            self.unwritten = unwritten
            self.takesSmallest = takesSmallest
        }
    }

    /// Computes the effect of a plan on an original.
    ///
    /// - Parameters:
    ///   - header: the original's sniffed header.
    ///   - decodeBytes: the budget of decoded bytes (`DecodeBudget`).
    /// - Returns: `nil` for a description, an animation, an original whose header does not state its size and frames reliably,
    ///   and a plan that the original cannot satisfy.
    package init?(of plan: Plan, on header: ImageHeader, _ encoding: Encoding, within decodeBytes: Int = .max) {
        guard Self.isReliable(header), !plan.settings.format.isMetadata,
            let steps = try? PlanGeometry.resolve(plan, source: header.orientedSize, maximumPixels: .max)
        else { return nil }
        let output = steps.last?.output.size ?? header.orientedSize
        let settings = SettingsEffect(of: plan, on: header, encoding, size: output)
        guard let settings else { return nil }
        let source = header.orientedSize
        let load = ShrinkOnLoad.factor(
            for: header.format,
            steps: steps,
            source: source,
            orientation: header.orientation,
            within: decodeBytes
        )
        let reduction = ShrinkOnLoad.factor(
            among: Mezzanine.factors,
            steps: steps,
            source: source,
            orientation: header.orientation
        )
        let isTransparent = plan.makesAlphaAnywhere
        let lines =
            Self.operations(steps) + settings.lines
            + ["load=\(load),\(reduction)", "alpha=\(isTransparent ? 1 : 0)"]
        text = lines.joined(separator: "\n")
        format = settings.format
        size = steps.last?.isExact ?? true ? output : nil
    }

    /// Whether a result is what was predicted from the header, so that it is the result of all plans with the same effect.
    package func matches(_ result: ResultFormat, width: Int, height: Int, frames: Int) -> Bool {
        guard let made = result.image, frames == 1 else { return false }
        return (format.map { $0 == made } ?? true)
            && (size.map { $0 == PixelSize(width: width, height: height) } ?? true)
    }

    /// Whether steps change nothing of an original.
    package static func isNothing(_ steps: [ResolvedStep]) -> Bool { operations(steps).isEmpty }

    /// Whether a header states the size, and that there is one frame, where every decoder reads them.
    private static func isReliable(_ header: ImageHeader) -> Bool {
        guard header.frames == 1, header.width > 0, header.height > 0 else { return false }
        return switch header.format {
        case .jpeg, .png, .webp, .gif, .avif, .heic, .tiff, .jxl, .jp2, .bmp: true
        // An icon has several images, and vector images have no pixels.
        case .ico, .svg, .svgz, .pdf, .other, .planes: false
        }
    }

    /// The steps without those that change nothing, the others by their rectangles where these are known.
    private static func operations(_ steps: [ResolvedStep]) -> [String] {
        var lines: [String] = []
        // Some steps depend on which step follows, so the steps after them are left as they are.
        var isPlain = true
        for resolved in steps {
            let operation = isPlain ? geometry(of: resolved) : .other
            switch operation {
            case .nothing: break
            case .known(let text): lines.append(text)
            case .other:
                let parameters = resolved.step.parameters + resolved.step.attributeParameters
                lines.append(parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&"))
                if !(resolved.step is FlipStep || resolved.step is RotateStep) || !resolved.isExact { isPlain = false }
            }
        }
        return lines
    }

    private enum Operation {
        case nothing
        case known(String)
        case other
    }

    private static func geometry(of resolved: ResolvedStep) -> Operation {
        let input = resolved.input.size
        switch resolved.step {
        case let resize as ResizeStep:
            let geometry = resize.geometry(for: input)
            if geometry.scaled == input, geometry.framing == .none { return .nothing }
            let light = resize.isLinear && geometry.scaled != input ? " linear" : ""
            return .known("resize \(geometry.scaled) \(text(of: geometry.framing))\(light)")
        case let crop as CropStep:
            guard let placement = try? crop.placement(in: input) else { return .other }
            return placement.size == input ? .nothing : .known("crop \(text(of: placement))")
        default: return .other
        }
    }

    private static func text(of framing: ResizeGeometry.Framing) -> String {
        switch framing {
        case .none: "whole"
        case .crop(let placement): "crop \(text(of: placement))"
        case .canvas(let size, let left, let top): "canvas \(size) \(left),\(top)"
        }
    }

    private static func text(of placement: CropPlacement) -> String {
        switch placement {
        case .rectangle(let rectangle):
            "\(rectangle.left),\(rectangle.top),\(rectangle.width),\(rectangle.height)"
        case .searched(let size, let gravity): "\(size) \(gravity.text)"
        }
    }
}

/// The settings of a plan that matter for one still original, and the format that they select.
private struct SettingsEffect {
    var lines: [String]
    var format: ImageFormat?

    /// - Parameter size: the size of the result.
    /// - Returns: `nil` if the original does not have the frame that the plan selects.
    init?(of plan: Plan, on header: ImageHeader, _ encoding: PlanEffect.Encoding, size: PixelSize) {
        let settings = plan.settings
        var encoding = encoding
        encoding.bucket = encoding.effectiveBucket(of: plan, on: header, size: size)
        guard settings.animation.frame ?? 0 == 0, !settings.animation.selection(of: 1).isEmpty else { return nil }
        var values: [String: String] = [:]
        for setting in PlanSetting.all { values[setting.name] = setting.canonicalValue(settings) }
        func drop(_ dropped: [PlanSetting]) { for setting in dropped { values[setting.name] = nil } }
        // A still original has no frames to select or to time, and pixels do not depend on a resolution.
        drop([.animation, .frame, .frames, .loop, .speed, .reverse, .dpi])
        // Only a JPEG has a gain map that is kept; records of earlier releases do not tell.
        if header.format != .jpeg { drop([.dynamicRange]) }
        // A JPEG is opaque, and stays it without a step that makes alpha.
        let isOpaque = header.format == .jpeg && !plan.makesAlphaAnywhere
        if isOpaque { drop([.strict]) }
        if isOpaque, plan.steps.allSatisfy({ $0 is ResizeStep || $0 is CropStep || $0 is FlipStep }) {
            drop([.background])
        }
        format = Self.format(of: plan, on: header, encoding, size: size)
        if let format {
            drop([.format, .quality])
            if format == .png {
                drop([.lossless])
                values["palette"] = settings.paletteQuality.map { String($0) }
            }
            if let supported = EncodingEffect.settings[format] {
                drop(EncodingEffect.all.filter { setting in !supported.contains { $0.name == setting.name } })
            }
            values.merge(EncodingEffect.values(of: settings, as: format, encoding.quality)) { $1 }
        } else {
            values["bucket"] = encoding.bucket?.name ?? "-"
            values["defaults"] = encoding.quality.keyText
            values["smallest"] = encoding.takesSmallest ? "1" : nil
            values["distance"] = String(encoding.quality.distance(for: settings.quality))
            values[PlanSetting.quality.name] = Self.quality(of: plan, on: header, encoding, size: size).text
        }
        lines = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    /// The quality of a result whose format is not known, without the numbers of formats that it cannot have.
    private static func quality(
        of plan: Plan,
        on header: ImageHeader,
        _ encoding: PlanEffect.Encoding,
        size: PixelSize
    ) -> QualitySetting {
        // The distance is stated by itself.
        if plan.settings.seeksQuality { return .search(nil) }
        // With WebP to fall back on, a client that accepts AVIF or JPEG XL never receives JPEG.
        var fallback = encoding
        fallback.bucket = .webp
        guard plan.settings.format == .auto, let bucket = encoding.bucket, bucket > .webp, !encoding.takesSmallest,
            format(of: plan, on: header, fallback, size: size) == .webp
        else { return plan.settings.quality }
        return plan.settings.quality.limited(
            to: Set([.webp] + (bucket.hasAVIF ? [.avif] : []) + (bucket.hasJXL ? [.jxl] : []))
        )
    }

    /// The format of the result, if it does not depend on what only the decoder knows.
    private static func format(
        of plan: Plan,
        on header: ImageHeader,
        _ encoding: PlanEffect.Encoding,
        size: PixelSize
    ) -> ImageFormat? {
        switch plan.settings.format {
        case .source:
            return FormatPolicy.shown.contains(header.format) && !encoding.unwritten.contains(header.format)
                ? header.format : nil
        case .auto:
            // The AVIF of format=auto has an effort of its own, and WebP may stand in for it; JPEG XL may lack an encoder.
            let bucket = encoding.bucket ?? .rest
            let keepsGainMap = plan.keepsGainMap(of: header)
            guard !keepsGainMap || header.hasGainMap == true else { return nil }
            guard keepsGainMap || !encoding.takesSmallest && bucket <= .webp else { return nil }
            let isOpaque: [Bool] = header.format == .jpeg ? [false] : [false, true]
            let formats = isOpaque.map { hasAlpha in
                FormatNegotiation.choose(
                    .auto,
                    bucket: bucket,
                    sourceFormat: header.format,
                    hasAlpha: hasAlpha,
                    frames: 1,
                    plan: plan,
                    keepsGainMap: keepsGainMap,
                    outputSize: size,
                    encoders: EncoderTable.common.without(encoding.unwritten)
                )
            }
            return Set(formats).count == 1 ? formats[0] : nil
        default: return plan.settings.format.image
        }
    }
}

extension Plan {
    /// Whether a step can make an opaque image transparent, even if a background prevents it.
    fileprivate var makesAlphaAnywhere: Bool { steps.contains { $0.makesAlpha } }
}

/// The encoder settings that have an effect on a format.
package enum EncodingEffect {
    /// The settings that only some encoders use.
    static let all: [PlanSetting] = [.progressive, .effort, .chroma, .nearLossless, .sharpYUV, .alphaQuality]

    /// Those that each encoder uses; a format that is missing here may use all of them.
    package static let settings: [ImageFormat: [PlanSetting]] = [
        .jpeg: [.progressive, .effort, .chroma],
        .png: [.progressive, .effort],
        .webp: [.effort, .nearLossless, .sharpYUV, .alphaQuality],
    ]

    /// The values that depend on the source's defaults.
    fileprivate static func values(
        of settings: PlanSettings,
        as format: ImageFormat,
        _ defaults: QualityDefaults
    ) -> [String: String] {
        var values = ["format": "\(format)"]
        guard format != .png, format != .gif else { return values }
        let quality = String(settings.quality.number(for: format) ?? defaults.standard(of: format))
        values["q"] = settings.seeksQuality ? "score \(quality) \(defaults.distance(for: settings.quality))" : quality
        if format == .webp {
            let isDefault = defaults.webpOptions.lossless && settings.quality.number(for: .webp) == nil
            let isLossless = settings.encoding.isLossless || settings.encoding.nearLossless != nil || isDefault
            values[PlanSetting.lossless.name] = isLossless ? "1" : nil
            values["options"] = defaults.webpOptions.keyText
        }
        return values
    }
}

extension QualityDefaults {
    /// The default quality of a format.
    package func standard(of format: ImageFormat) -> Int {
        switch format {
        case .webp: webp
        case .avif: avif
        case .jxl: jxl
        default: jpeg
        }
    }
}

extension EncoderTable {
    /// The encoders that every worker has; the worker's own table has the same values.
    package static let common = EncoderTable([
        .jpeg: EncoderTraits(hasAlpha: false, hasAnimation: false, isLosslessPossible: false, longestSide: 65_500),
        .png: EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: 1_000_000),
        .gif: EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: 65_535),
        .webp: EncoderTraits(hasAlpha: true, hasAnimation: true, isLosslessPossible: true, longestSide: 16_383),
    ])
}
