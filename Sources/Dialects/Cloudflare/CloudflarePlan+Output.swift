import ImagePlan

extension CloudflarePlan {
    mutating func appendAdjustments() throws(RequestError) {
        for name in ["brightness", "contrast", "gamma", "saturation"] {
            guard let stated = request[name] else { continue }
            let factor = try stated.decimal(in: 0...100)
            // 0 is ignored there, except for the saturation.
            if factor.millionths == 0, name != "saturation" { continue }
            builder.step(name, factor.text, for: name)
        }
        if let sharpen = request["sharpen"] {
            let strength = try sharpen.decimal(in: 0...10)
            if strength.millionths > 0 { builder.step("sharpen", max(strength, .leastSigma).text, for: sharpen.name) }
        }
        if let blur = request["blur"] {
            let radius = try blur.decimal(in: 0...250)
            // Half a radius is a standard deviation.
            let sigma = FixedDecimal(millionths: radius.millionths / 2)
            if radius.millionths > 0 { builder.step("blur", max(sigma, .leastSigma).text, for: blur.name) }
        }
        if let background = request["background"] {
            guard let color = CSSColor.parse(background.text) else {
                throw background.error("must be a colour of CSS, such as %23ff8800, red or rgb(240,40,145)")
            }
            try builder.set("bg", color.text, for: background.name)
        }
    }

    /// Format, quality, frames and metadata.
    mutating func setOutput() throws(RequestError) {
        let format = try request["format"]?.keyword(CloudflareFormat.table) ?? CloudflareFormat(name: "source")
        try builder.set("format", format.name, for: "format")
        if format.isProgressive { try builder.set("progressive", "1", for: "format") }
        if let quality = request["quality"] {
            let number = try Self.quality(quality)
            if format.name == "webp", number == "100" {
                try builder.set("lossless", "1", for: quality.name)
            } else {
                try builder.set("q", number, for: quality.name)
            }
        }
        // The client's connection is not part of a request here; the source's configuration knows Save-Data.
        if let slow = request["slow-connection-quality"] { _ = try Self.quality(slow) }
        if let compression = request["compression"] {
            try builder.set("effort", try compression.keyword(["fast": "0"]), for: compression.name)
        }
        if let anim = request["anim"], try !anim.keyword(["true": true, "false": false]) {
            try builder.set("anim", "first", for: anim.name)
        }
        let metadata = try request["metadata"]?.keyword(["copyright": "copyright", "keep": "keep", "none": "strip"])
        // Cloudflare never keeps any in these formats.
        let isBare = ["webp", "png"].contains(format.name)
        try builder.set("meta", isBare ? "strip" : metadata ?? "copyright", for: "metadata")
    }

    /// A number, or a perceptual level, of which ours has four as well.
    private static func quality(_ value: OptionValue) throws(RequestError) -> String {
        let levels: KeyValuePairs<String, String> = [
            "high": "auto:best", "medium-high": "auto:good", "medium-low": "auto:eco", "low": "auto:low",
        ]
        if let level = levels.first(where: { $0.key == value.text }) { return level.value }
        guard let number = try? value.integer(in: 1...100) else {
            throw value.error("must be a number from 1 to 100, or one of \(levels.map(\.key).joined(separator: ", "))")
        }
        return String(number)
    }
}

/// A value of `format`.
struct CloudflareFormat {
    /// Our name.
    let name: String
    var isProgressive = false

    static let table: KeyValuePairs<String, CloudflareFormat> = [
        "auto": CloudflareFormat(name: "auto"), "avif": CloudflareFormat(name: "avif"),
        "webp": CloudflareFormat(name: "webp"), "jpeg": CloudflareFormat(name: "jpeg", isProgressive: true),
        "baseline-jpeg": CloudflareFormat(name: "jpeg"), "png": CloudflareFormat(name: "png"),
        "json": CloudflareFormat(name: "json"),
    ]
}
