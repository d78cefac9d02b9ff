import ImagePipeline

extension SourceReader {
    /// Keys that only apply to raw sources.
    static let rawKeys = SourceSchema.table.settings.filter { $0.kind == .raw }.map(\.name)

    /// Keys that only apply to image sources; a raw source has `cache`, but not `cache.variants`.
    static let pictureKeys =
        SourceSchema.table.settings.filter { $0.kind == .pictures }.map(\.name) + ["cache.variants"]

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
