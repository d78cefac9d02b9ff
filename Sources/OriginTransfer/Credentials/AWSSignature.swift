import HTTPSemantics
import LinuxSystem

/// Signs requests without a body as AWS Signature Version 4 asks for.
///
/// Not libcurl's CURLOPT_AWS_SIGV4, which before 8.10 signs wrongly where a path holds `=`, `+` or other marks, and where a
/// query is not sorted. A value without I/O.
struct AWSSignature {
    /// SHA-256 of nothing: the hash of a body that is none.
    static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    let accessKey: String
    let secretKey: Secret
    let region: String
    var service = "s3"

    /// The `Authorization` field's value of a GET.
    ///
    /// - Parameters:
    ///   - path: as sent.
    ///   - query: as sent; empty where there is none.
    ///   - fields: every field that is signed, `Host` and `X-Amz-Date` among them; names are unique but for case.
    ///   - seconds: what `X-Amz-Date` says, since 1970.
    func authorization(
        path: String,
        query: String,
        fields: [HeaderField],
        at seconds: Int64
    ) -> String {
        let signed = fields.map { ($0.name.lowercased(), Self.trimmed($0.value)) }.sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let request = [
            "GET", AWSEncoding.path(PercentEncoding.decode(path.utf8)), AWSEncoding.canonicalQuery(query),
            signed.map { "\($0):\($1)\n" }.joined(), names, Self.emptyPayload,
        ].joined(separator: "\n")
        let stamp = Self.timestamp(seconds)
        let day = String(stamp.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(SHA256Digest(hashing: request).text)"
        var key = Array("AWS4\(secretKey.value)".utf8)
        for part in [day, region, service, "aws4_request", text] {
            key = HMACSHA256.code(of: Array(part.utf8), key: key)
        }
        return "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), Signature=\(key.hexText)"
    }

    /// `20130524T000000Z`.
    static func timestamp(_ seconds: Int64) -> String {
        let date = CivilDate(seconds: seconds)
        func two(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(date.year)\(two(date.month))\(two(date.day))T\(two(date.hour))\(two(date.minute))\(two(date.second))Z"
    }

    /// Without blanks at its ends, and with one where several follow each other.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}
