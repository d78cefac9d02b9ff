import ImagePlan

/// The plan of a path: trim, crop, resize, flip, then the filters in their order.
struct ThumborPlan {
    let path: ThumborPath
    let filters: [ThumborFilter]
    let rules: ThumborRules
    let image: Translation.Image
    /// The name of the source, for other images of it; `nil` if it is not known.
    let source: String?
    var builder = PlanBuilder()
    /// Whether the resize has made the canvas of `fill` already.
    var hasCanvas = false
    /// Whether a filter before the current one has turned the picture on its side.
    var isTurned = false

    /// Whether there is a filter.
    func has(_ name: String) -> Bool { filters.contains { $0.name == name } }

    /// Whether the answer is the original: with `raw()` imagor leaves out everything else that concerns the image.
    private var isOriginal: Bool { rules == .imagor && has("raw") }

    /// The parameters of our language.
    mutating func parameters() throws(RequestError) -> [Parameter] {
        if isOriginal {
            for filter in filters where ThumborFilter.aboutAnswers.contains(filter.name) {
                try rules.filters[filter.name]?.apply(filter, &self)
            }
            return try builder.requestParameters()
        }
        if path.isMeta {
            guard rules == .imagor else {
                throw RequestError(
                    parameter: "meta",
                    reason: "cannot be said: use format=json of this server's own language"
                )
            }
            try builder.set("format", "json", for: "meta")
        }
        for filter in filters where filter.name == "orient" { try appendOrientation(filter) }
        try appendTrimAndCrop()
        try appendResize()
        if path.flipsHorizontally || path.flipsVertically {
            let direction = (path.flipsHorizontally ? "h" : "") + (path.flipsVertically ? "v" : "")
            builder.step("flip", direction, for: path.dimensions)
        }
        for filter in filters {
            guard let meaning = rules.filters[filter.name] else { continue }
            try meaning.apply(filter, &self)
        }
        try setOutput()
        return try builder.parameters()
    }

    /// imagor's `orient`: a turn before everything else, against the clock as `rotate`.
    private mutating func appendOrientation(_ filter: ThumborFilter) throws(RequestError) {
        let angle = try filter.argument(0).keyword(["0": "0", "90": "270", "180": "180", "270": "90"])
        builder.step("rotate", angle, for: filter.name)
    }

    private mutating func appendTrimAndCrop() throws(RequestError) {
        if let trim = path.trim {
            try appendTrim(tolerance: trim.tolerance, isBottomRight: trim.isBottomRight, for: trim.text)
        }
        guard let crop = path.crop, crop.isStated else { return }
        guard path.trim == nil else {
            throw RequestError(
                parameter: crop.text,
                reason: "cannot follow trim: its points are those of the picture before it"
            )
        }
        builder.step("crop", try crop.value(rules: rules), for: crop.text)
    }

    /// A trim by the top left pixel, or by the bottom right one of the picture upside down.
    mutating func appendTrim(tolerance: Int, isBottomRight: Bool, for option: String) throws(RequestError) {
        if isBottomRight { builder.step("flip", "hv", for: option) }
        builder.step("trim", String(max(1, min(255, tolerance))), for: option)
        if isBottomRight { builder.step("flip", "hv", for: option) }
    }

    private mutating func setOutput() throws(RequestError) {
        if !builder.has("format") { try builder.set("format", "source", for: "format") }
        // A quality has no effect on a PNG there; ours would reduce its colours.
        if builder.value(of: "format") == "png" { builder.remove("q") }
        // The size is that of the lowest quality at best.
        if ["png", "gif", "tiff", "json"].contains(builder.value(of: "format")) || builder.has("lossless") {
            builder.remove("max_bytes")
        }
        // imagor writes one frame in these formats.
        if rules == .imagor, ["png", "avif"].contains(builder.value(of: "format")), !builder.has("frame"),
            !builder.has("page")
        {
            builder.remove("frames")
            try builder.set("anim", "first", for: "format")
        }
        if rules == .imagor, !has("strip_exif"), !has("strip_metadata") {
            try builder.set("meta", "keep", for: "strip_exif")
        }
    }
}
