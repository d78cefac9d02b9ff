package import ImagePlan

/// A request of thumbor, `/unsafe/300x200/smart/filters:quality(80)/example.org/cat.jpg`, or of imagor.
///
/// Sources: thumbor.readthedocs.io, docs.imagor.net, and for the order of operations the repositories thumbor/thumbor and
/// cshum/imagor.
package enum ThumborRequest {
    /// The least number of characters of a signature of imagor, which reads fewer as a part of the image.
    package static let shortestSignature = 17

    /// Translates a request, as `translate(path:query:source:)` of `Dialect` does; a query changes nothing there, and nothing here.
    package static func translate(
        path: [UInt8],
        source: String?,
        rules: ThumborRules
    ) throws(RequestError) -> Translation {
        let path = try ThumborPath(path, rules: rules)
        let image = try ThumborImage.image(path.image, rules: rules)
        let filters = try ThumborFilter.parse(path.filters, rules: rules)
        var plan = ThumborPlan(path: path, filters: filters, rules: rules, image: image, source: source)
        return Translation(image: image, parameters: try plan.parameters(), signature: path.signature)
    }
}
