import HTTPSemantics
import ImagePipeline

/// Responses that belong to one client, because its cookies went to the origin.
enum PersonalAnswer {
    /// The description with `Cache-Control: private`, so that no shared cache downstream keeps the response.
    static func description(_ description: EntityDescription) -> EntityDescription {
        var description = description
        let said = description.cacheControl.map { CacheControl($0) }
        guard said?.noStore != true else { return description }
        var directives = ["private"]
        if said.map({ $0.noCache != .absent }) == true { directives.append("no-cache") }
        directives.append("max-age=\(said?.maxAge ?? description.advertisedLifetime)")
        if said?.mustRevalidate == true { directives.append("must-revalidate") }
        if said?.noTransform == true { directives.append("no-transform") }
        description.cacheControl = directives.joined(separator: ", ")
        return description
    }
}
