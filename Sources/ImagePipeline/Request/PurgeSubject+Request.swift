import HTTPCache

extension PurgeSubject {
    /// Names the original of a request.
    init(_ request: OriginRequest) {
        self.init(origin: request.key, source: request.source.name, url: request.identity)
    }

    /// Names the variant of a request.
    init(_ request: VariantRequest) {
        self.init(request.origin)
        plan = request.plan
        presets = request.presets
        ingredients = request.ingredients.map { PurgeSubject($0.origin) }
    }
}
