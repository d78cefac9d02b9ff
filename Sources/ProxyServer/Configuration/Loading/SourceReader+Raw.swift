import ImagePipeline

extension SourceReader {
    /// Keys that mean nothing for pictures.
    static let rawKeys = SourceSchema.table.settings.filter { $0.kind == .raw }.map(\.name)

    /// Keys that mean nothing for a raw source; `cache` itself does, but not what is said of variants below it.
    static let pictureKeys =
        SourceSchema.table.settings.filter { $0.kind == .pictures }.map(\.name) + ["cache.variants"]

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
