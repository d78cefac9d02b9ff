import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Responses under overload with something else than the requested image.
///
/// They have the fields of the real response except `ETag`, `Last-Modified` and `Age`, and a short lifetime of their own, so that
/// clients and caches soon ask again and never validate them. Conditions and ranges do not apply.
enum BrownoutAnswer {
    /// The response with an entity.
    ///
    /// - Parameter now: seconds of the wall clock.
    static func response(_ answer: Answer, _ rung: BrownoutRung, to request: ResolvedRequest, now: Int64) -> Response {
        let entity = answer.entity
        var response = EntityResponse.whole(
            entity,
            dynamic: CacheStatusFields.brownout(answer.status, rung)
                + request.fields(for: entity.description.mediaType),
            age: nil,
            tag: RequestResult.brownout.tag
        )
        var description = request.isPersonal ? PersonalAnswer.description(entity.description) : entity.description
        description.lastModified = nil
        description.cacheControl = cacheControl(description.cacheControl, lifetime: lifetime(of: request, now: now))
        response.fields = EntityPresentation.fields(description, isFinal: false)
        request.rules.edits?.apply(to: &response, except: "cache-control")
        return response
    }

    /// The response with a placeholder.
    ///
    /// - Parameters:
    ///   - status: how the cache handled the request before it failed.
    ///   - now: seconds of the wall clock.
    static func response(
        _ picture: PlaceholderPicture,
        _ status: CacheStatus?,
        to request: ResolvedRequest,
        now: Int64
    ) -> Response {
        var response = picture.response(
            lifetime: lifetime(of: request, now: now),
            isPersonal: request.isPersonal,
            dynamic: []
        )
        response.dynamicFields = CacheStatusFields.brownout(status, .placeholder) + request.fields.all
        response.tag = RequestResult.brownout.tag
        request.rules.edits?.apply(to: &response, except: "cache-control")
        return response
    }

    /// The seconds for which clients may keep a response: never beyond the request's own expiry.
    private static func lifetime(of request: ResolvedRequest, now: Int64) -> Int64 {
        min(BrownoutRung.lifetime, request.expires.map { max(0, $0 - now) } ?? .max)
    }

    /// The `Cache-Control` with a lifetime; what the origin says against storing and sharing remains.
    static func cacheControl(_ field: String?, lifetime: Int64) -> String {
        let said = field.map { CacheControl($0) } ?? CacheControl()
        if said.noStore { return "no-store" }
        var directives = [said.private == .absent ? "public" : "private"]
        if said.noCache != .absent { directives.append("no-cache") }
        directives.append("max-age=\(lifetime)")
        if said.noTransform { directives.append("no-transform") }
        return directives.joined(separator: ", ")
    }
}
