import Dialects
import ImagePlan
import LinuxSystem

extension ConfigurationSchema {
    /// Other servers' languages, for whole sites, and their keys.
    static let dialects: [Setting<Configuration>] = [
        Setting(
            "dialect",
            \.dialect,
            .dialect,
            "Another server's language that all paths here are in: none, imgproxy, thumbor, imagor, weserv or cloudflare."
        ),
        Setting(
            "dialect-source",
            \.dialectSource,
            .sourceName,
            "The source of images that a request in this language names by a path; by default the only one."
        ),
        Setting(
            "dialects.imgproxy.keys",
            \.dialects.imgproxy.keys,
            .list(of: .foreignKey),
            "Keys of imgproxy's signatures, as in IMGPROXY_KEY; any of them verifies."
        ),
        Setting(
            "dialects.imgproxy.salts",
            \.dialects.imgproxy.salts,
            .list(of: .foreignKey),
            "Salts of these keys, in the same order, as in IMGPROXY_SALT."
        ),
        Setting(
            "dialects.imgproxy.signature-size",
            \.dialects.imgproxy.signatureSize,
            .count(8...32),
            "Bytes of a signature, as in IMGPROXY_SIGNATURE_SIZE."
        ),
        Setting(
            "dialects.imgproxy.url-keys",
            \.dialects.imgproxy.urlKeys,
            .list(of: .foreignCipherKey),
            "AES keys of encrypted source URLs, as in IMGPROXY_SOURCE_URL_ENCRYPTION_KEY."
        ),
        Setting(
            "dialects.thumbor.keys",
            \.dialects.thumbor.keys,
            .list(of: .credential),
            "Keys of thumbor's signatures, as in SECURITY_KEY; any of them verifies."
        ),
        Setting(
            "dialects.imagor.keys",
            \.dialects.imagor.keys,
            .list(of: .credential),
            "Keys of imagor's signatures, as in IMAGOR_SECRET; any of them verifies."
        ),
        Setting(
            "dialects.imagor.hash",
            \.dialects.imagor.hash,
            .choice,
            "Hash of imagor's signatures, as in IMAGOR_SIGNER_TYPE: sha1, sha256 or sha512."
        ),
        Setting(
            "dialects.imagor.truncate",
            \.dialects.imagor.truncate,
            .count(0...86),
            "Characters of a signature, as in IMAGOR_SIGNER_TRUNCATE, at least 17; 0 for all of them."
        ),
    ]
}

extension ValueFormat where Value == Dialect? {
    /// A language, or `none`.
    static var dialect: ValueFormat {
        let none = "none"
        let words = [none] + Dialect.allCases.map(\.rawValue)
        return .scalar("one of " + words.joined(separator: ", "), schema: .words(words)) { text -> Dialect?? in
            text == none ? .some(nil) : Dialect(rawValue: text).map { .some($0) }
        } write: {
            .plain($0?.rawValue ?? none)
        }
    }
}

extension ValueFormat where Value == String? {
    /// The name of a source; an empty string for none.
    static var sourceName: ValueFormat {
        .scalar("the name of a source, or an empty string") { text -> String?? in
            text.isEmpty ? .some(nil) : RequestPath.isSourceName(text) ? .some(text) : nil
        } write: {
            .quoted($0 ?? "")
        }
    }
}

extension ValueFormat where Value == SigningKey {
    /// A key of another server, of any length that it accepts; redacted in output.
    static var foreignKey: ValueFormat {
        hexadecimal("a key of 2 to 1024 hexadecimal digits") { (1...512).contains($0) }
    }

    /// A key for AES-128, AES-192 or AES-256; redacted in output.
    static var foreignCipherKey: ValueFormat {
        hexadecimal("a key of 32, 48 or 64 hexadecimal digits") { [16, 24, 32].contains($0) }
    }

    private static func hexadecimal(
        _ expectation: String,
        isLength: @escaping @Sendable (Int) -> Bool
    ) -> ValueFormat {
        .scalar(expectation) { text in
            SigningKey(hexadecimal: text, lengths: 1...512).flatMap { isLength($0.bytes.count) ? $0 : nil }
        } write: {
            .quoted($0.description)
        }
        .secret
    }
}
