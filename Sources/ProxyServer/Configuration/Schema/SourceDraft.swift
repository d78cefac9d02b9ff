import ImagePipeline

extension SourceSchema {
    /// A source while it is read.
    struct Draft: Sendable {
        var rule: SourceRule
        /// `nil` until a `url` was read.
        var location: SourceRule.Location?
        var preset: String?
        var region: String?
        var endpoint: String?
        var auth = Auth()

        /// What was said below `auth`; which of it belongs together is for the decoder to see.
        struct Auth: Sendable, Equatable {
            var user: String?
            var password: Secret?
            var bearer: Secret?
            var accessKey: String?
            var secretKey: Secret?
            var sessionToken: Secret?
        }

        /// Begins with a rule to which nothing has been said.
        init(inheriting rule: SourceRule) {
            self.rule = rule
        }

        /// A source that has been read, for printing.
        init(_ rule: SourceRule, preset: String?) {
            self.rule = rule
            self.preset = preset
            location = rule.location
            if case .bucket(let bucket) = rule.location {
                region = bucket.region
                endpoint = bucket.endpoint
            }
            switch rule.credentials {
            case nil: break
            case .basic(let user, let password): (auth.user, auth.password) = (user, password)
            case .bearer(let token): auth.bearer = token
            case .accessKey(let id, let secret, let session):
                (auth.accessKey, auth.secretKey, auth.sessionToken) = (id, secret, session)
            }
        }
    }
}
