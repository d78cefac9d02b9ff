import HTTPKit
import HTTPSemantics
import ImagePipeline

/// Responses to requests with `exp`, which clients and caches must not reuse after that time.
enum ExpiringAnswer {
    /// The refusal of an expired request.
    static let refusal = Problem(403, "This request has expired.", parameter: "exp").ofSource

    /// The entity's fields with a lifetime that ends in `secondsLeft` at the latest, including shared caches and stale use.
    ///
    /// - Parameter age: the `Age` of the response in seconds.
    static func fields(_ description: EntityDescription, secondsLeft: Int64, age: Int64) -> [UInt8] {
        var description = description
        description.cacheControl = cacheControl(
            description.cacheControl,
            lifetime: description.advertisedLifetime,
            secondsLeft: secondsLeft,
            age: age
        )
        return EntityPresentation.fields(description)
    }

    /// A raw response's fields with a lifetime that ends with the request's, for all caches: in `Cache-Control`, `Expires` and
    /// targeted fields (RFC 9213).
    ///
    /// A response without a lifetime gets one of 0, since a cache could choose any (RFC 9111 §4.2.2).
    ///
    /// - Parameters:
    ///   - expires: the request's `exp`.
    ///   - age: the `Age` of the response in seconds; `nil` if it has none.
    static func fields(_ fields: FieldLines, expires: Int64, now: Int64, age: Int64?) -> FieldLines {
        let age = age ?? 0
        let left = expires - now
        let date = fields["date"].flatMap { HTTPDate($0, now: now) }?.seconds ?? now
        let end = fields["expires"].flatMap { HTTPDate($0, now: now) }?.seconds
        var limits = FieldLines()
        limits.append(
            "Cache-Control",
            cacheControl(
                fields["cache-control"] ?? "",
                lifetime: max(0, (end ?? date) - date),
                secondsLeft: left,
                age: age
            )
        )
        if let end, end > expires { limits.append("Expires", HTTPDate(clamping: expires).description) }
        for line in fields.lines where CacheControl.isTargeted(line.key) && !limits.contains(line.key) {
            limits.append(line.name, cacheControl(fields[line.key], lifetime: 0, secondsLeft: left, age: age))
        }
        var limited = fields
        limited.replace(with: limits)
        return limited
    }

    /// The `Cache-Control` with every lifetime clamped, and without directives that permit stale use.
    ///
    /// Lifetimes start when the origin created the response, so that clients subtract its age (RFC 9111 §4.2): a response of this age
    /// is fresh for `secondsLeft` with a `max-age` of both.
    ///
    /// - Parameters:
    ///   - words: the origin's `Cache-Control`, or `nil`.
    ///   - lifetime: the lifetime if it has none.
    ///   - age: the `Age` of the response in seconds.
    static func cacheControl(_ words: String?, lifetime: Int64, secondsLeft: Int64, age: Int64) -> String {
        let sum = max(0, secondsLeft).addingReportingOverflow(max(0, age))
        let left = sum.overflow ? .max : sum.partialValue
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
