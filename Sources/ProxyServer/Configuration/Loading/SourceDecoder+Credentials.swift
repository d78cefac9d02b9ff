import ImagePipeline

extension SourceDecoder {
    /// Puts what was said of a source's origin together: the bucket with its region, and the credentials.
    static func complete(_ draft: inout SourceSchema.Draft, _ report: (_ message: String, _ name: String) -> Void) {
        guard let location = draft.location else { return }
        draft.rule.location = locate(location, draft, report)
        draft.rule.credentials = credentials(draft, report)
        guard let credentials = draft.rule.credentials else { return }
        if case .file = draft.rule.location {
            report("means nothing for a file:// source", "auth")
            return
        }
        for field in draft.rule.headers where credentials.ownFields.contains(field.name.lowercased()) {
            report("is set by auth, too; say it once", "headers.\(field.name)")
        }
        switch (credentials, draft.rule.location) {
        case (.accessKey, .bucket): break
        case (.accessKey, _): report("access-key is for s3:// sources; use basic or bearer", "auth")
        case (_, .bucket): report("an s3:// source needs access-key and secret-key", "auth")
        default: break
        }
    }

    private static func locate(
        _ location: SourceRule.Location,
        _ draft: SourceSchema.Draft,
        _ report: (String, String) -> Void
    ) -> SourceRule.Location {
        guard case .bucket(var bucket) = location else {
            if draft.region != nil { report("is for s3:// sources", "region") }
            if draft.endpoint != nil { report("is for s3:// sources", "endpoint") }
            return location
        }
        if draft.region == nil, draft.endpoint == nil {
            report("needs the bucket's region, or the endpoint of another store", "url")
        }
        bucket.region = draft.region ?? ObjectBucket.defaultRegion
        bucket.endpoint = draft.endpoint
        return .bucket(bucket)
    }

    private static func credentials(
        _ draft: SourceSchema.Draft,
        _ report: (String, String) -> Void
    ) -> SourceCredentials? {
        let auth = draft.auth
        let basic = auth.user != nil || auth.password != nil
        let keys = auth.accessKey != nil || auth.secretKey != nil || auth.sessionToken != nil
        guard [basic, auth.bearer != nil, keys].count(where: \.self) <= 1 else {
            report("names more than one of basic, bearer and access-key", "auth")
            return nil
        }
        if let token = auth.bearer { return .bearer(token) }
        if basic {
            guard let user = auth.user, let password = auth.password else {
                report("needs both user and password", "auth.basic")
                return nil
            }
            return .basic(user: user, password: password)
        }
        guard keys else { return nil }
        guard let id = auth.accessKey, let secret = auth.secretKey else {
            report("needs both access-key and secret-key", "auth")
            return nil
        }
        return .accessKey(id: id, secret: secret, session: auth.sessionToken)
    }
}
