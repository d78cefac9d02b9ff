import CCrypto
import HTTPSemantics
import LinuxSystem

extension TransferOptions {
    /// The fields that let a request in at the source's own origin; none where it needs none.
    ///
    /// - Parameters:
    ///   - url: what is asked.
    ///   - seconds: the wall clock, which signatures hold.
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

    /// The fields beside the signature's own that it must hold: the host as it is sent, and every `X-Amz-` field.
    private func alsoSigned(_ url: OriginURL) -> [HeaderField] {
        let host = headers.last { $0.name.lowercased() == "host" }?.value ?? url.authority
        return [HeaderField(name: "Host", value: host)] + headers.filter { $0.name.lowercased().hasPrefix("x-amz-") }
    }

    /// RFC 4648 §4.
    private static func base64(_ bytes: [UInt8]) -> String {
        // Four characters for each three bytes begun, and a NUL.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
