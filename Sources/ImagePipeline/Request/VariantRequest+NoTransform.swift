import HTTPCache
import HTTPSemantics
import ImagePlan

extension VariantRequest {
    /// Whether the original is answered in place of a picture of it, since its origin says `no-transform` (RFC 9111 §5.2.2.6) and the
    /// source obeys.
    ///
    /// What tells of a picture and is none (`format=json` and its like) is made all the same.
    func mustStayOriginal(_ record: OriginRecord) -> Bool {
        guard origin.source.noTransform == .obey, let plan,
            [record.cacheControl, record.clientCacheControl].contains(where: { words in
                words.map { CacheControl($0).noTransform } ?? false
            })
        else { return false }
        return (try? Plan(canonicalText: plan))?.settings.format.isMetadata != true
    }
}
