import Foundation
import HTTPCache
import ImagePipeline
import TestSupport

/// An S3 store for tests, which verifies signatures with an independent implementation and then serves objects.
struct ObjectStore: Sendable {
    var bucket = "pics"
    var region = "us-east-1"
    var accessKey = "AKIDTEST"
    var secretKey = "secret/key+1"
    var sessionToken: String?
    /// The objects by key.
    var objects: [String: [UInt8]]

    /// The response: 403 with the canonical request for a wrong signature, as from S3.
    var script: ScriptedOrigin.Script {
        { request, connection in
            let (expected, canonical) = signature(of: request)
            guard request.field("Authorization")?.hasSuffix("Signature=\(expected)") == true,
                request.field("X-Amz-Security-Token") == sessionToken
            else {
                connection.respond(
                    "403 Forbidden",
                    ["Content-Type: application/xml"],
                    text: "<Error>\(canonical)</Error>"
                )
                return
            }
            let path = String(request.target.prefix { $0 != "?" }.dropFirst())
            // S3 decodes a plus as a space.
            let key = path.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
            guard key.hasPrefix(bucket + "/"), let object = objects[String(key.dropFirst(bucket.count + 1))] else {
                connection.respond("404 Not Found", text: "<Error><Code>NoSuchKey</Code></Error>")
                return
            }
            connection.respond("200 OK", ["Cache-Control: max-age=3600"], body: object)
        }
    }

    private func signature(of request: ScriptedRequest) -> (signature: String, canonical: String) {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        )
        func encode(_ text: Substring, _ allowed: CharacterSet) -> String {
            let decoded = text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "?"
            return decoded.addingPercentEncoding(withAllowedCharacters: allowed) ?? "?"
        }
        let parts = request.target.split(separator: "?", maxSplits: 1)
        let path = encode(parts[0], unreserved.union(CharacterSet(charactersIn: "/")))
        let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return encode(sides[0], unreserved) + "=" + (sides.count > 1 ? encode(sides[1], unreserved) : "")
        }.sorted().joined(separator: "&")
        let names =
            request.field("Authorization")?.components(separatedBy: "SignedHeaders=").last?
            .prefix { $0 != "," }.split(separator: ";") ?? []
        let fields = names.map { "\($0):\(request.field(String($0)) ?? "")\n" }.joined()
        let canonical =
            "GET\n\(path)\n\(query)\n\(fields)\n\(names.joined(separator: ";"))\n"
            + (request.field("X-Amz-Content-Sha256") ?? "")
        let stamp = request.field("X-Amz-Date") ?? ""
        let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(CacheKey(hashing: canonical))"
        var key = Array("AWS4\(secretKey)".utf8)
        for part in scope.split(separator: "/").map(String.init) + [text] { key = Self.code(Array(part.utf8), key) }
        return (key.map { String(format: "%02x", $0) }.joined(), canonical)
    }

    /// HMAC by its definition (RFC 2104 §2), from the hash alone.
    private static func code(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? CacheKey(hashing: key).bytes : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        let inner = CacheKey(hashing: block.map { $0 ^ 0x36 } + message).bytes
        return CacheKey(hashing: block.map { $0 ^ 0x5C } + inner).bytes
    }
}
