import ImagePlan

extension WeservPlan {
    /// Format, quality, frames, and what concerns the answer instead of the picture.
    ///
    /// - Parameter makesAlpha: whether the picture becomes transparent.
    mutating func setOutput(makesAlpha: Bool) throws(RequestError) {
        let format: String? =
            try request["output"]?.keyword([
                "jpg": "jpeg", "png": "png", "gif": "gif", "tiff": "tiff", "tif": "tiff", "webp": "webp",
                "avif": "avif",
                "av1": "avif", "jxl": "jxl", "json": "json", "origin": nil,
            ]) ?? nil
        // The source's format, except for a picture that becomes transparent: weserv then leaves JPEG, and so does `auto`.
        if let format {
            try builder.set("format", format, for: "output")
        } else if !makesAlpha {
            try builder.set("format", "source", for: "output")
        }
        if let quality = try request.integer("q", in: 1...100), format != "png", format != "gif" {
            try builder.set("q", String(quality), for: "q")
        }
        if let level = try request.integer("l", in: 0...9), format == "png" {
            try builder.set("effort", String(level), for: "l")
        }
        if try request.flag("il") { try builder.set("progressive", "1", for: "il") }
        if try request.flag("ll"), ["webp", "jxl", "tiff"].contains(format) {
            try builder.set("lossless", "1", for: "ll")
        }
        try setFrames()
        if let name = request["filename"] { try builder.setRequest("filename", name.text, for: name.name) }
        if let encoding = request["encoding"] {
            throw encoding.error("cannot be said: answers are images, not data: URLs")
        }
        // No effect on the picture.
        _ = try request.flag("af")
        _ = try request.flag("fsol")
    }

    /// `n`, `page`, `loop`: one frame unless `n` says more.
    private mutating func setFrames() throws(RequestError) {
        if let delay = request["delay"] { throw delay.error("cannot be said: frames keep their durations") }
        let count = try request.integer("n", in: -1...AnimationSettings.frames.upperBound) ?? 1
        let page = try request.integer("page", in: 0...AnimationSettings.frames.upperBound) ?? 0
        guard count != 0 else { throw RequestError(parameter: "n", reason: "must be a number of pages, or -1 for all") }
        if count == 1 {
            guard page > 0 else { return try builder.set("anim", "first", for: "n") }
            try builder.set(FileName.isAnimation(request.url) ? "frame" : "page", String(page), for: "page")
        } else if count > 1 {
            try builder.set("frames", "\(page)-\(page + count - 1)", for: "n")
        } else if page > 0 {
            try builder.set("frames", "\(page)-\(AnimationSettings.frames.upperBound)", for: "page")
        }
        if let loop = try request.integer("loop", in: -1...AnimationSettings.loops.upperBound), loop >= 0, count != 1 {
            try builder.set("loop", String(loop), for: "loop")
        }
    }
}
