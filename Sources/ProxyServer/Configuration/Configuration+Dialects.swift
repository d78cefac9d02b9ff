import Dialects
import ImagePipeline
import LinuxSystem

extension Configuration {
    /// The keys of other servers' languages, with which they have signed and encrypted URLs.
    struct DialectKeys: Sendable, Equatable {
        var imgproxy = Imgproxy()
        var thumbor = Thumbor()
        var imagor = Imagor()

        /// HMAC-SHA256 over a salt and the path.
        struct Imgproxy: Sendable, Equatable {
            /// As in `IMGPROXY_KEY`; any of them verifies, together with the salt at its place.
            var keys: [SigningKey] = []
            /// As in `IMGPROXY_SALT`; as many as keys.
            var salts: [SigningKey] = []
            /// The bytes of a signature, as in `IMGPROXY_SIGNATURE_SIZE`.
            var signatureSize = 32
            /// AES keys of 16, 24 or 32 bytes, as in `IMGPROXY_SOURCE_URL_ENCRYPTION_KEY`; all of them decrypt.
            var urlKeys: [SigningKey] = []
        }

        /// HMAC-SHA1 over the path after the signature.
        struct Thumbor: Sendable, Equatable {
            /// As in `SECURITY_KEY`; any of them verifies.
            var keys: [Secret] = []
        }

        /// HMAC over the path after the signature.
        struct Imagor: Sendable, Equatable {
            /// As in `IMAGOR_SECRET`; any of them verifies.
            var keys: [Secret] = []
            /// As in `IMAGOR_SIGNER_TYPE`.
            var hash = SignatureHash.sha1
            /// The characters of a signature, as in `IMAGOR_SIGNER_TRUNCATE`; 0 for all.
            var truncate = 0
        }
    }

    /// Whether any key verifies signatures, of Edgeprint's own language or of another.
    var hasSignatures: Bool {
        !signing.keys.isEmpty || Dialect.allCases.contains { dialects.hasKeys(of: $0) }
    }

    /// The source of a site's dialect whose originals are the paths without a host: the stated one, or the only one that is not raw.
    var dialectBase: String? {
        if let dialectSource { return dialectSource }
        let names = sources.filter { !$0.rule.isRaw }.map(\.rule.localName)
        return names.count == 1 ? names[0] : nil
    }
}

/// A hash of signatures.
enum SignatureHash: String, Sendable, CaseIterable {
    case sha1, sha256, sha512

    /// The bytes of a code.
    var size: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}

extension Dialect {
    /// Whether requests may be signed in the language.
    var hasSignatures: Bool {
        switch self {
        case .imgproxy, .thumbor, .imagor: true
        case .weserv, .cloudflare: false
        }
    }
}

extension Configuration.DialectKeys {
    /// Whether there is any key for a language.
    func hasKeys(of dialect: Dialect) -> Bool {
        switch dialect {
        case .imgproxy: !imgproxy.keys.isEmpty
        case .thumbor: !thumbor.keys.isEmpty
        case .imagor: !imagor.keys.isEmpty
        case .weserv, .cloudflare: false
        }
    }
}
