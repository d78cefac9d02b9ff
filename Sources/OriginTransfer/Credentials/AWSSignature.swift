import HTTPSemantics
import LinuxSystem

/// Signs requests with AWS Signature Version 4.
///
/// Replaces libcurl's `CURLOPT_AWS_SIGV4`, which before 8.10 computes wrong signatures for paths with reserved characters such as
/// `=` and `+`, and for unsorted queries. Performs no I/O.
struct AWSSignature {
    /// The SHA-256 digest of an empty body.
    static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    let accessKey: String
    let secretKey: Secret
    let region: String
    var service = "s3"

    /// Returns the value of a request's `Authorization` field.
    ///
    /// - Parameters:
    ///   - payload: the SHA-256 digest of the body in hexadecimal, as in `X-Amz-Content-Sha256`.
    ///   - path: the path as sent.
    ///   - query: the query as sent; empty if there is none.
    ///   - fields: all signed fields, including `Host` and `X-Amz-Date`; names are unique, ignoring case.
    ///   - seconds: the time in `X-Amz-Date`, in seconds since 1970.
    func authorization(
        method: String = "GET",
        path: String,
        query: String,
        fields: [HeaderField],
        payload: String = emptyPayload,
        at seconds: Int64
    ) -> String {
        let signed = fields.map { ($0.name.lowercased(), Self.trimmed($0.value)) }.sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let request = [
            method, AWSEncoding.path(PercentEncoding.decode(path.utf8)), AWSEncoding.canonicalQuery(query),
            signed.map { "\($0):\($1)\n" }.joined(), names, payload,
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

    /// Formats a time as `20130524T000000Z`.
    static func timestamp(_ seconds: Int64) -> String {
        let date = CivilDate(seconds: seconds)
        func two(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(date.year)\(two(date.month))\(two(date.day))T\(two(date.hour))\(two(date.minute))\(two(date.second))Z"
    }

    /// Trims the value and collapses inner whitespace to single spaces.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}

/// The percent-encoding of paths and queries in AWS Signature Version 4 ("UriEncode" in its documentation).
///
/// Unreserved characters (RFC 3986 §2.3) are kept; all other bytes become `%XX` in upper case.
enum AWSEncoding {
    /// Encodes a decoded path; slashes are kept.
    static func path(_ bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// Re-encodes each name and value of a raw query and keeps their order.
    static func query(_ raw: String) -> String {
        pairs(raw).map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }.joined(separator: "&")
    }

    /// The canonical form of a raw query for signing: sorted by name, then by value, with `=` after every name.
    static func canonicalQuery(_ raw: String) -> String {
        pairs(raw).map { (name: $0.name, value: $0.value ?? "") }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    private static func pairs(_ raw: String) -> [(name: String, value: String?)] {
        raw.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { encode(PercentEncoding.decode($0), keepsSlashes: false) }
            return (texts.first ?? "", texts.count > 1 ? texts[1] : nil)
        }
    }

    private static func encode(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        PercentEncoding.encode(bytes) { byte in
            PercentEncoding.isUnreserved(byte) || keepsSlashes && byte == UInt8(ascii: "/")
        }
    }
}
