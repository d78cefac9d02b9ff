import ImagePlan

extension ThumborFilter {
    /// imagor's filters about frames, the file and the answer.
    static let imagorOutput: [String: Meaning] = [
        "format": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let format = try filter.argument(0).keyword([
                "jpeg": "jpeg", "jpg": "jpeg", "png": "png", "gif": "gif", "webp": "webp", "avif": "avif", "jxl": "jxl",
                "tiff": "tiff",
            ])
            // `meta` answers with JSON, whatever the format.
            if !plan.path.isMeta { try plan.builder.set("format", format, for: filter.name) }
        },
        "autojpg": Meaning(changesPixels: false, arguments: 0...0) { filter, plan throws(RequestError) in
            if !plan.path.isMeta { try plan.builder.set("format", "jpeg", for: filter.name) }
        },
        "lossless": Meaning(changesPixels: false, arguments: 0...0) { filter, plan throws(RequestError) in
            let format = plan.filters.last { $0.name == "format" }?.arguments.first
            // Others are always lossy, or always lossless.
            guard let format, ["webp", "jxl", "avif"].contains(format) else { return }
            try plan.builder.set("lossless", "1", for: filter.name)
        },
        "compression": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let level = try filter.argument(0).integer(in: 0...9)
            guard plan.filters.contains(where: { $0.name == "format" && $0.arguments == ["png"] }) else { return }
            try plan.builder.set("effort", String(level), for: filter.name)
        },
        "max_frames": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let count = try filter.argument(0).integer(in: 1...AnimationSettings.frames.upperBound)
            if count == 1 {
                try plan.builder.set("anim", "first", for: filter.name)
            } else {
                try plan.builder.set("frames", "0-\(count - 1)", for: filter.name)
            }
        },
        "page": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let page = try filter.argument(0).integer(in: 1...AnimationSettings.pages.upperBound)
            guard page > 1 else { return }
            let name = FileName.isAnimation(plan.image) ? "frame" : "page"
            try plan.builder.set(name, String(page - 1), for: filter.name)
        },
        "dpi": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            try plan.builder.set("dpi", filter.argument(0).text, for: filter.name)
        },
        "strip_metadata": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "to_colorspace": Meaning(changesPixels: false, arguments: 0...1) { filter, _ throws(RequestError) in
            guard filter[0].map({ $0.text.lowercased() == "srgb" }) ?? true else {
                throw filter.error("cannot be another colour space than srgb")
            }
        },
        "attachment": Meaning(changesPixels: false, arguments: 0...1) { filter, plan throws(RequestError) in
            try plan.builder.setRequest("download", "1", for: filter.name)
            if let name = filter[0] { try plan.builder.setRequest("filename", name.text, for: filter.name) }
        },
        "expire": Meaning(changesPixels: false, arguments: 1...1) { filter, plan throws(RequestError) in
            let text = try filter.argument(0).text
            guard (4...16).contains(text.utf8.count), let milliseconds = Int64(text), milliseconds > 0 else {
                throw filter.error("must be a time in milliseconds since 1970")
            }
            try plan.builder.setRequest("exp", String(milliseconds / 1_000), for: filter.name)
        },
        // About imagor's caches.
        "preview": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
        "raw": Meaning(changesPixels: false, arguments: 0...0, apply: handledByResize),
    ]

    /// The filters about the answer, which count for an original, too.
    static let aboutAnswers: Set<String> = ["attachment", "expire"]
}
