import HTTPCache

extension PurgeSubject {
    /// Creates the subject of a requested variant.
    init(_ request: VariantRequest) {
        self.init(request.origin)
        plan = request.plan
        presets = request.presets
        auxiliaries = request.auxiliaries.map { PurgeSubject($0.origin) }
    }
}
