import ImagePipeline

extension SourceDecoder {
    /// Keys that are about raw sources and mean nothing for pictures.
    static let rawKeys = ["methods", "set-cookie"]

    /// Keys that are about pictures, which a raw source knows nothing of.
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

    /// Finds what contradicts `raw: true`.
    ///
    /// - Parameters:
    ///   - isSaid: whether the source itself says a key.
    ///   - report: takes a key below the source, and what is wrong with it.
    static func checkRaw(
        _ draft: SourceSchema.Draft,
        isSaid: (String) -> Bool,
        report: (_ key: String, _ message: String) -> Void
    ) {
        for key in pictureKeys where isSaid(key) {
            report(key, "means nothing beside raw: true, which passes requests and answers on as they are")
        }
        guard case .http = draft.rule.location else {
            report("raw", "needs an http:// or https:// url")
            return
        }
        // The whole query goes behind the prefix.
        if draft.rule.location.urlPrefix?.contains("?") == true {
            report("url", "must not have a query beside raw: true")
        }
    }
}
