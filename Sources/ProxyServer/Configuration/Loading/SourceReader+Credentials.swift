import ImagePipeline
import OriginTransfer

extension SourceReader {
    /// Reports contradictions below `auth`, and with the location of the originals.
    ///
    /// - Parameter isSaid: returns whether the source has a key, even with an invalid value.
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
        for (name, other) in needs where isSaid(name) && !isSaid(other) { report(name, "requires \(other)") }
        let ways = [("auth.basic", auth.user != nil), ("auth.bearer", auth.bearer != nil)].filter(\.1).map(\.0)
        if ways.count > 1 { report("auth.bearer", "cannot be combined with auth.basic") }
        if auth.accessKey != nil, let way = ways.first {
            report("auth.access-key", "cannot be combined with \(way)")
        }
        checkFields(draft, report)
        checkBucket(draft, isSaid: isSaid, report)
    }

    private static func checkFields(_ draft: SourceSchema.Draft, _ report: (String, String) -> Void) {
        guard let credentials = draft.credentials else { return }
        for field in draft.rule.headers where credentials.ownFields.contains(field.name.lowercased()) {
            report("headers", "contains \(field.name), which auth sets")
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
                report("url", "requires the bucket's region, or the endpoint of a store other than AWS")
            }
            for (name, isSaid) in [("auth.basic", auth.user != nil), ("auth.bearer", auth.bearer != nil)] where isSaid {
                report(name, "does not apply to an s3:// source; use auth.access-key and auth.secret-key")
            }
        } else {
            let keys = [
                ("region", draft.region != nil), ("endpoint", draft.endpoint != nil),
                ("auth.access-key", auth.accessKey != nil && auth.secretKey != nil),
            ]
            for (name, isSaid) in keys where isSaid { report(name, "only applies to s3:// sources") }
        }
    }
}
