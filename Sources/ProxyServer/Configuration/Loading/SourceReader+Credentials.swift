import ImagePipeline

extension SourceReader {
    /// Reports what does not fit together below `auth`, and with where the originals are.
    ///
    /// - Parameter isSaid: whether a key stands in the source, be it with a value that is refused already.
    static func checkCredentials(
        _ draft: SourceSchema.Draft,
        isSaid: (_ name: String) -> Bool,
        _ report: (_ name: String, _ message: String) -> Void
    ) {
        let auth = draft.auth
        let needs = [
            ("auth.basic.user", "auth.basic.password"), ("auth.basic.password", "auth.basic.user"),
            ("auth.access-key", "auth.secret-key"), ("auth.secret-key", "auth.access-key"),
            ("auth.session-token", "auth.access-key"),
        ]
        for (name, other) in needs where isSaid(name) && !isSaid(other) { report(name, "needs \(other)") }
        let ways = [("auth.basic", auth.user != nil), ("auth.bearer", auth.bearer != nil)].filter(\.1).map(\.0)
        if ways.count > 1 { report("auth.bearer", "stands beside auth.basic: one of them counts") }
        if auth.accessKey != nil, let way = ways.first {
            report("auth.access-key", "stands beside \(way): one of them counts")
        }
        checkFields(draft, report)
        checkBucket(draft, isSaid: isSaid, report)
    }

    private static func checkFields(_ draft: SourceSchema.Draft, _ report: (String, String) -> Void) {
        guard let credentials = draft.credentials else { return }
        for field in draft.rule.headers where credentials.ownFields.contains(field.name.lowercased()) {
            report("headers", "holds \(field.name), too, which auth is for")
        }
    }

    private static func checkBucket(
        _ draft: SourceSchema.Draft,
        isSaid: (String) -> Bool,
        _ report: (String, String) -> Void
    ) {
        let auth = draft.auth
        if case .bucket = draft.rule.location {
            if !isSaid("region"), !isSaid("endpoint") {
                report("url", "needs the bucket's region, or the endpoint of another store than AWS")
            }
            for (name, isSaid) in [("auth.basic", auth.user != nil), ("auth.bearer", auth.bearer != nil)] where isSaid {
                report(name, "is not for an s3:// source, which takes auth.access-key and auth.secret-key")
            }
        } else {
            let keys = [
                ("region", draft.region != nil), ("endpoint", draft.endpoint != nil),
                ("auth.access-key", auth.accessKey != nil && auth.secretKey != nil),
            ]
            for (name, isSaid) in keys where isSaid { report(name, "is for s3:// sources") }
        }
    }
}
