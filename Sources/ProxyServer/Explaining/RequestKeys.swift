import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan

/// The cache keys of a request (SDWebImage: `cacheKeyForURL:`).
struct RequestKeys: Sendable, Hashable {
    /// The key of the response.
    var key: String
    /// The key of the original.
    var original: String
    /// The bucket of `format=auto`; `nil` if the response does not depend on `Accept`.
    var bucket: String?

    /// The members of the JSON document.
    var json: JSONValue {
        .object([
            .init("key", .string(key)), .init("original", .string(original)),
            .init("bucket", bucket.map(JSONValue.string) ?? .null),
        ])
    }
}

extension Explainer {
    /// The keys of a GET, whether or not it would be refused.
    ///
    /// - Throws: the error that the daemon would respond with to an invalid target.
    func keys(
        of target: String,
        accept: String? = nil,
        fields: FieldLines = FieldLines()
    ) throws(Problem) -> RequestKeys {
        let request = try parsed(target, accept, fields)
        guard !request.isFixed, !PlainPictureTarget.takes(request.bytes, in: resolver.table) else {
            throw Problem(404, "This response is constant and not cached.")
        }
        let resolver = with(request.traits).resolver.withoutGuards
        if let origin = try resolver.rawOrigin(of: request.bytes) {
            return RequestKeys(key: origin.key.description, original: origin.key.description)
        }
        let resolved = try resolver.resolve(request.bytes)
        let variant = resolved.variant(for: request.bucket)
        return RequestKeys(
            key: variant.key.description,
            original: variant.origin.key.description,
            bucket: resolved.isNegotiated ? request.bucket.name : nil
        )
    }
}
