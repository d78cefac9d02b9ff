import CCrypto
import HTTPSemantics
import LinuxSystem

extension TransferOptions {
    /// Returns the header fields that authenticate a request to the source's own origin; empty if it has no credentials.
    ///
    /// - Parameters:
    ///   - url: the requested URL.
    ///   - seconds: wall-clock seconds, which are part of signatures.
    func credentialFields(for url: OriginURL, at seconds: Int64) -> [HeaderField] {
        switch credentials {
        case nil: return []
        case .basic(let user, let password):
            let pair = Self.base64(Array("\(user):\(password.value)".utf8))
            return [HeaderField(name: "Authorization", value: "Basic \(pair)")]
        case .bearer(let token):
            return [HeaderField(name: "Authorization", value: "Bearer \(token.value)")]
        case .accessKey(let id, let secret, let session):
            guard let signingRegion else { return [] }
            var own = [
                HeaderField(name: "X-Amz-Content-Sha256", value: AWSSignature.emptyPayload),
                HeaderField(name: "X-Amz-Date", value: AWSSignature.timestamp(seconds)),
            ]
            if let session { own.append(HeaderField(name: "X-Amz-Security-Token", value: session.value)) }
            let value = AWSSignature(accessKey: id, secretKey: secret, region: signingRegion).authorization(
                path: url.path,
                query: url.query ?? "",
                fields: own + alsoSigned(url),
                at: seconds
            )
            return own + [HeaderField(name: "Authorization", value: value)]
        }
    }

    /// The other fields that a signature must cover: `Host` as sent, and every configured `X-Amz-` field.
    private func alsoSigned(_ url: OriginURL) -> [HeaderField] {
        let host = headers.last { $0.name.lowercased() == "host" }?.value ?? url.authority
        return [HeaderField(name: "Host", value: host)] + headers.filter { $0.name.lowercased().hasPrefix("x-amz-") }
    }

    /// Encodes bytes as Base64 (RFC 4648 §4).
    private static func base64(_ bytes: [UInt8]) -> String {
        // Four characters for every three bytes, rounded up, and a NUL.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
