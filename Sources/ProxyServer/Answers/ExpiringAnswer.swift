import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Responses to requests with `exp`, which clients and caches must not reuse after that time.
enum ExpiringAnswer {
    /// The refusal of an expired request.
    static let refusal = Problem(403, "This request has expired.", parameter: "exp").ofSource

    /// The entity's fields with a lifetime of at most `secondsLeft`, including shared caches and stale use.
    static func fields(_ description: EntityDescription, secondsLeft: Int64) -> [UInt8] {
        var description = description
        description.cacheControl = cacheControl(
            description.cacheControl,
            lifetime: description.advertisedLifetime,
            secondsLeft: secondsLeft
        )
        return EntityPresentation.fields(description)
    }

    /// The `Cache-Control` with every lifetime clamped, and without directives that permit stale use.
    ///
    /// - Parameters:
    ///   - words: the origin's `Cache-Control`, or `nil`.
    ///   - lifetime: the lifetime if it has none.
    static func cacheControl(_ words: String?, lifetime: Int64, secondsLeft: Int64) -> String {
        let left = max(0, secondsLeft)
        guard let words else {
            return "public, max-age=\(min(lifetime, left))"
        }
        let said = CacheControl(words)
        if said.noStore { return "no-store" }
        var directives: [String] = []
        if said.private != .absent { directives.append("private") } else if said.public { directives.append("public") }
        if said.noCache != .absent { directives.append("no-cache") }
        directives.append("max-age=\(min(said.maxAge ?? lifetime, left))")
        if let shared = said.sMaxAge { directives.append("s-maxage=\(min(shared, left))") }
        if said.mustRevalidate { directives.append("must-revalidate") }
        if said.proxyRevalidate { directives.append("proxy-revalidate") }
        if said.noTransform { directives.append("no-transform") }
        return directives.joined(separator: ", ")
    }
}
