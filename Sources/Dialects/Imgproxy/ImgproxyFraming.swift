import ImagePlan

/// The resize and the canvas of an imgproxy URL in our language.
///
/// `dpr` and `zoom` are multiplied in, except that a preset's sizes need our own `dpr`.
struct ImgproxyFraming {
    /// The steps of the resize.
    private(set) var resize: [Parameter] = []
    /// The steps that extend the image.
    private(set) var canvas: [Parameter] = []
    /// The attributes of the resize.
    private(set) var attributes: [Parameter] = []

    private let options: ImgproxyOptions
    /// The sides of the box in pixels; `nil` for none.
    private let width: Int?
    private let height: Int?
    /// What lengths are multiplied by.
    private let ratio: FixedDecimal

    private static let one = FixedDecimal(1)

    init(_ options: ImgproxyOptions) throws(RequestError) {
        self.options = options
        let zoom = options.zoom?.value ?? (x: Self.one, y: Self.one)
        let dpr = options.dpr?.value ?? Self.one
        let hasBox = (options.width?.value ?? 0) > 0 || (options.height?.value ?? 0) > 0
        if options.preset != nil {
            ratio = Self.one
            try Self.checkPreset(options)
        } else {
            // Without a box, nothing grows unless `enlarge` is on, and neither do other lengths.
            ratio = hasBox || options.enlarge == true ? dpr : min(dpr, Self.one)
        }
        width = try Self.side(options.width, zoom.x * ratio)
        height = try Self.side(options.height, zoom.y * ratio)
        if let option = options.zoom?.option, zoom.x != zoom.y, type != .force || !isBox {
            throw RequestError(parameter: option, reason: "must have one factor: the image keeps its proportions")
        }
        if !hasBox { try scale(by: zoom.x * ratio) }
        try resizeToBox()
        try extend()
        try pad()
    }

    private var type: ImgproxyOptions.Resizing { options.resizing?.value ?? .fit }

    /// Whether both sides of the box are stated.
    private var isBox: Bool { width != nil && height != nil }

    /// A side multiplied by a factor; `nil` for 0, which is none.
    private static func side(_ side: Stated<Int>?, _ factor: FixedDecimal) throws(RequestError) -> Int? {
        guard let side, side.value > 0 else { return nil }
        return try length(side.value, factor, of: side.option)
    }

    private static func length(
        _ length: Int,
        _ factor: FixedDecimal,
        of option: String,
        least: Int = 1
    ) throws(RequestError) -> Int {
        let scaled = max(least, (length * factor.millionths + 500_000) / 1_000_000)
        guard scaled <= ResizeStep.longestSide else {
            throw RequestError(
                parameter: option,
                reason: "comes to \(scaled) pixels; the limit is \(ResizeStep.longestSide)"
            )
        }
        return scaled
    }

    /// A preset's sizes are not known here, so what would multiply them must be said by our own `dpr`.
    private static func checkPreset(_ options: ImgproxyOptions) throws(RequestError) {
        if let zoom = options.zoom, zoom.value != (one, one) {
            throw RequestError(parameter: zoom.option, reason: "cannot multiply the sizes of a preset")
        }
        guard let dpr = options.dpr, dpr.value != one else { return }
        guard dpr.value >= one, dpr.value <= FixedDecimal(4) else {
            throw RequestError(parameter: dpr.option, reason: "must be from 1 to 4 with a preset")
        }
        guard options.blur == nil, options.pixelate == nil else {
            throw RequestError(parameter: dpr.option, reason: "with a preset would multiply blur and pixelate, too")
        }
    }

    /// Zoom and dpr without a box: a percentage of the image.
    private mutating func scale(by factor: FixedDecimal) throws(RequestError) {
        guard factor < Self.one || factor > Self.one && options.enlarge == true else { return }
        let percent = FixedDecimal(millionths: factor.millionths * 100)
        guard percent <= FixedDecimal(1000) else {
            let option = options.zoom?.option ?? options.dpr?.option ?? "zoom"
            throw RequestError(parameter: option, reason: "enlarges more than ten times")
        }
        resize.append(Parameter("w", percent.text + "%"))
    }

    /// The resize, and the crop of what exceeds the box because of a least side.
    private mutating func resizeToBox() throws(RequestError) {
        if let width { resize.append(Parameter("w", String(width))) }
        if let height { resize.append(Parameter("h", String(height))) }
        if type == .force, (width == nil) != (height == nil), let option = options.resizing?.option {
            throw RequestError(parameter: option, reason: "force needs a width and a height")
        }
        let least = try leastSides()
        if !least.isEmpty {
            if isBox, type != .fit, type != .fill, let option = (options.leastWidth ?? options.leastHeight)?.option {
                throw RequestError(parameter: option, reason: "is only possible with the resizing types fit and fill")
            }
            resize += least
            if let size { resize.append(Parameter("crop", size + place(options.gravity))) }
        }
        addAttributes(hasLeast: !least.isEmpty)
    }

    /// The attributes of the resize; with a preset all that are stated, to replace the preset's.
    private mutating func addAttributes(hasLeast: Bool) {
        let mayGrow = options.enlarge == true
        let hasPreset = options.preset != nil
        let fit: Fit =
            switch type {
            case .fit: padsInResize ? .pad : .contain
            case .fill: hasLeast ? .outside : mayGrow ? .cover : .crop
            case .fillDown: .cover
            case .force: .fill
            case .auto: .auto
            }
        if isBox && fit != .contain || hasPreset && options.resizing != nil {
            attributes.append(Parameter("fit", fit.rawValue))
        }
        let gravity = fit == .pad ? options.canvas.gravity : options.gravity
        let isPlaced = [.pad, .cover, .crop, .auto].contains(fit) && isBox
        if let gravity, isPlaced && !gravity.isCenter || hasPreset {
            attributes.append(Parameter("gravity", gravity.text(scaledBy: ratio)))
        }
        if mayGrow && !resize.isEmpty || hasPreset && options.enlarge != nil {
            attributes.append(Parameter("enlarge", mayGrow ? "1" : "0"))
        }
        if hasPreset, let dpr = options.dpr?.value, dpr != Self.one { attributes.append(Parameter("dpr", dpr.text)) }
    }

    private func leastSides() throws(RequestError) -> [Parameter] {
        var sides: [Parameter] = []
        if let width = try Self.side(options.leastWidth, ratio) { sides.append(Parameter("min-w", String(width))) }
        if let height = try Self.side(options.leastHeight, ratio) { sides.append(Parameter("min-h", String(height))) }
        return sides
    }

    /// The box as `WxH`, a missing side as the image's; `nil` without a box.
    private var size: String? {
        guard width != nil || height != nil else { return nil }
        return "\(width.map(String.init) ?? "100%")x\(height.map(String.init) ?? "100%")"
    }

    private func place(_ gravity: ImgproxyGravity?) -> String {
        guard let gravity, !gravity.isCenter else { return "" }
        return "," + gravity.text(scaledBy: ratio)
    }

    /// Whether the canvas can be part of the resize, as `fit=pad`.
    private var padsInResize: Bool {
        options.canvas.isOn && type == .fit && isBox && !options.hasEffects && options.preset == nil
            && options.leastWidth?.value ?? 0 == 0 && options.leastHeight?.value ?? 0 == 0
    }

    private mutating func extend() throws(RequestError) {
        for canvas in [options.canvas, options.canvasRatio] where canvas.isOn {
            guard canvas.gravity.kind != .focus || canvas.gravity.isCenter else {
                throw RequestError(
                    parameter: canvas.option,
                    reason: "cannot centre the image at a point of the canvas; a direction with offsets can be said"
                )
            }
        }
        if options.canvas.isOn, let size {
            if !padsInResize { canvas.append(Parameter("pad", size + place(options.canvas.gravity))) }
            // The canvas has the box's proportions already.
            if isBox { return }
        }
        if options.canvasRatio.isOn, let width, let height {
            let text = AspectRatio(width: width, height: height).text
            canvas.append(Parameter("pad", text + place(options.canvasRatio.gravity)))
        }
    }

    private mutating func pad() throws(RequestError) {
        guard let padding = options.padding else { return }
        var widths: [Int] = []
        for width in padding.value {
            widths.append(try Self.length(width, ratio, of: padding.option, least: 0))
        }
        guard widths.contains(where: { $0 > 0 }) else { return }
        if widths[1] == widths[3], widths[0] == widths[2] { widths.removeLast(widths[0] == widths[1] ? 3 : 2) }
        canvas.append(Parameter("pad", widths.map(String.init).joined(separator: ",")))
    }
}
