import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Answers with the picture that stands in for an original: a status and a lifetime of its own, and no word of the origin.
enum FallbackAnswer {
    /// The whole picture; conditions and ranges of a request are about another one.
    ///
    /// - Parameter vary: the request's `Vary`, encoded.
    static func response(_ entity: Entity, status: Int, ttl: Int64, vary: [UInt8]) -> Response {
        var response = EntityResponse.whole(
            entity,
            dynamic: CacheStatusFields.field(.fallback) + vary,
            age: nil,
            tag: RequestResult.fallback.tag
        )
        response.status = UInt16(status)
        var description = entity.description
        description.cacheControl = nil
        description.lastModified = nil
        // What stands in for an AVIF is not kept for longer than elsewhere.
        description.advertisedLifetime = min(ttl, description.standIn?.lifetime ?? ttl)
        response.fields = EntityPresentation.fields(description)
        return response
    }
}
