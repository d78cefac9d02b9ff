import ImagePipeline

extension SourceDecoder {
    /// Keys that only apply to raw sources.
    static let rawKeys = ["methods", "set-cookie"]

    /// Keys that only apply to image sources.
    static let pictureKeys = [
        "originals", "no-transform", "preset", "fallback.image", "fallback.status", "fallback.ttl", "forward-query",
        "ignore-query",
        "ttl",
        "ttl-min", "ttl-max", "cache.variants", "mezzanine", "limits.pixels", "limits.frames", "limits.animation",
        "limits.redirects",
        "timeouts.transform",
        "quality.jpeg", "quality.webp", "quality.avif", "quality.save-data", "placeholder",
        "client-hints", "formats.pdf",
        "avif.auto", "avif.budget", "avif.effort", "avif.stand-in",
        "auto", "quality.distance",
    ]

    /// Reports keys that contradict `raw: true`.
    ///
    /// - Parameters:
    ///   - isSaid: returns whether the source itself has a key.
    ///   - report: reports a problem of a key below the source.
    static func checkRaw(
        _ draft: SourceSchema.Draft,
        isSaid: (String) -> Bool,
        report: (_ key: String, _ message: String) -> Void
    ) {
        for key in pictureKeys where isSaid(key) {
            report(key, "has no effect with raw: true, which forwards requests and responses unchanged")
        }
        guard case .http = draft.rule.location else {
            report("raw", "requires an http:// or https:// url")
            return
        }
        // The whole query is appended to the prefix.
        if draft.rule.location.urlPrefix?.contains("?") == true {
            report("url", "must not have a query with raw: true")
        }
    }
}
