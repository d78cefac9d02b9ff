import HTTPKit
import HTTPSemantics
import ImagePipeline

/// The response with a fallback image, which has its own status and lifetime and none of the origin's fields.
enum FallbackAnswer {
    /// The complete image; conditions and ranges of the request do not apply to it.
    ///
    /// - Parameter vary: the encoded `Vary` of the request.
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
        // A WebP that is served until its AVIF is made keeps its short lifetime.
        description.advertisedLifetime = min(ttl, description.standIn?.lifetime ?? ttl)
        response.fields = EntityPresentation.fields(description)
        return response
    }
}
