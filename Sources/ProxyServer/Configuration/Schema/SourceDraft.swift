import ImagePipeline
import OriginTransfer
import LinuxSystem

extension SourceSchema {
    /// A source whose keys are still being read.
    struct Draft: Sendable {
        var rule: SourceRule
        /// `nil` until `url` has been read.
        var location: SourceRule.Location?
        var mirrors: [SourceRule.Location] = []
        var preset: String?
        var fallbackImage: String?
        var fallbackStatus = 404
        var fallbackTTL: Int64 = 60
        var region: String?
        var endpoint: String?
        var decrypt: BodyDecryption.Method?
        var decryptKey: String?
        var auth = Auth()
        var reading = ConfiguredSource.PathReading()

        /// The values below `auth`, from which one of three kinds of credentials follows.
        struct Auth: Sendable, Equatable {
            var user: String?
            var password: Secret?
            var bearer: Secret?
            var accessKey: String?
            var secretKey: Secret?
            var sessionToken: Secret?
        }

        /// Creates a draft from the known parts of a source.
        init(
            rule: SourceRule,
            location: SourceRule.Location? = nil,
            preset: String? = nil,
            fallback: ConfiguredSource.Fallback? = nil,
            reading: ConfiguredSource.PathReading = ConfiguredSource.PathReading()
        ) {
            self.reading = reading
            self.rule = rule
            self.location = location
            self.preset = preset
            mirrors = rule.mirrors
            if let fallback {
                (fallbackImage, fallbackStatus, fallbackTTL) = (fallback.image, fallback.status, fallback.ttl)
            }
            (decrypt, decryptKey) = (rule.decryption?.method, rule.decryption?.keyName)
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

        /// The value of `fallback`; `nil` without an image.
        var fallback: ConfiguredSource.Fallback? {
            fallbackImage.map { ConfiguredSource.Fallback(image: $0, status: fallbackStatus, ttl: fallbackTTL) }
        }

        /// The value of `auth`; `nil` if it is absent or incomplete.
        var credentials: SourceCredentials? {
            if let token = auth.bearer { return .bearer(token) }
            if let user = auth.user, let password = auth.password { return .basic(user: user, password: password) }
            guard let id = auth.accessKey, let secret = auth.secretKey else { return nil }
            return .accessKey(id: id, secret: secret, session: auth.sessionToken)
        }

        /// The location of the originals, with region and endpoint for a bucket; `nil` without a `url`.
        var completeLocation: SourceRule.Location? {
            location.map(completed)
        }

        /// The locations of the mirrors; those in buckets have the region and endpoint of the source.
        var completeMirrors: [SourceRule.Location] { mirrors.map(completed) }

        private func completed(_ location: SourceRule.Location) -> SourceRule.Location {
            guard case .bucket(var bucket) = location else { return location }
            bucket.region = region ?? ObjectBucket.defaultRegion
            bucket.endpoint = endpoint
            return .bucket(bucket)
        }
    }
}
