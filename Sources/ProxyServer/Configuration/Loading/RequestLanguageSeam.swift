import ImagePlan

/// What the configuration asks of the request language, in one place.
enum RequestLanguageSeam {
    /// Whether a name belongs to the language, so that no source may forward or ignore it.
    static func isReserved(_ name: String) -> Bool { names.contains(name) }

    /// Why a preset cannot be used; `nil` where it can.
    static func problem(ofPreset name: String, text: String) -> String? {
        if name == "none" || name.isEmpty { return "is no preset's name" }
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return "\(parts[0]): has no value" }
            guard isReserved(String(parts[0])) else { return "\(parts[0]): is not a known parameter" }
        }
        return nil
    }

    private static let names: Set<String> = [
        "w", "h", "fit", "gravity", "enlarge", "dpr", "crop", "round", "border", "blur", "sharpen", "pixelate", "flip",
        "rotate", "tint", "filter", "brightness", "contrast", "saturation", "hue", "gamma", "trim", "pad", "mask",
        "watermark", "bg", "frame", "page", "anim", "dpi", "strict", "speed", "loop", "reverse", "format", "q",
        "lossless",
        "progressive", "effort", "chroma", "near_lossless", "sharp_yuv", "alpha_q", "max_bytes", "meta", "filename",
        "download", "preset", "exp", "sig", "url",
    ]
}
