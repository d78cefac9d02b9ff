import ImagePipeline
import OriginTransfer
import LinuxSystem

extension SourceSchema {
    /// A source while it is read.
    struct Draft: Sendable {
        var rule: SourceRule
        /// `nil` until a `url` was read.
        var location: SourceRule.Location?
        var preset: String?
        var fallbackImage: String?
        var fallbackStatus = 404
        var fallbackTTL: Int64 = 60
        var region: String?
        var endpoint: String?
        var auth = Auth()

        /// What was said below `auth`: one of three ways.
        struct Auth: Sendable, Equatable {
            var user: String?
            var password: Secret?
            var bearer: Secret?
            var accessKey: String?
            var secretKey: Secret?
            var sessionToken: Secret?
        }

        /// What is known of a source.
        init(
            rule: SourceRule,
            location: SourceRule.Location? = nil,
            preset: String? = nil,
            fallback: ConfiguredSource.Fallback? = nil
        ) {
            self.rule = rule
            self.location = location
            self.preset = preset
            if let fallback {
                (fallbackImage, fallbackStatus, fallbackTTL) = (fallback.image, fallback.status, fallback.ttl)
            }
            if case .bucket(let bucket) = location {
                region = bucket.region
                endpoint = bucket.endpoint
            }
            switch rule.credentials {
            case .basic(let user, let password): (auth.user, auth.password) = (user, password)
            case .bearer(let token): auth.bearer = token
            case .accessKey(let id, let secret, let session):
                (auth.accessKey, auth.secretKey, auth.sessionToken) = (id, secret, session)
            case nil: break
            }
        }

        /// What `fallback` comes to; `nil` without an image.
        var fallback: ConfiguredSource.Fallback? {
            fallbackImage.map { ConfiguredSource.Fallback(image: $0, status: fallbackStatus, ttl: fallbackTTL) }
        }

        /// What `auth` comes to; `nil` where nothing or too little is said.
        var credentials: SourceCredentials? {
            if let token = auth.bearer { return .bearer(token) }
            if let user = auth.user, let password = auth.password { return .basic(user: user, password: password) }
            guard let id = auth.accessKey, let secret = auth.secretKey else { return nil }
            return .accessKey(id: id, secret: secret, session: auth.sessionToken)
        }

        /// Where the originals are, a bucket with its region and store; `nil` without a `url`.
        var completeLocation: SourceRule.Location? {
            guard case .bucket(var bucket)? = location else { return location }
            bucket.region = region ?? ObjectBucket.defaultRegion
            bucket.endpoint = endpoint
            return .bucket(bucket)
        }
    }
}
