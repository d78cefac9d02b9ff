import HTTPCache

extension PurgeSubject {
    /// Names the variant of a request.
    init(_ request: VariantRequest) {
        self.init(request.origin)
        plan = request.plan
        presets = request.presets
        auxiliaries = request.auxiliaries.map { PurgeSubject($0.origin) }
    }
}
