import HTTPCache
import ImagePlan

/// What became of the C2PA manifests of an original in a response; the value of `Content-Credentials`.
package enum ContentCredentials: String, Hashable, Sendable {
    /// The response is the original, byte for byte, with its manifests.
    case present
    /// The response is another image, which the manifests do not describe; no result contains them.
    case stripped

    /// Compares a response with its original; `nil` if that has no manifests, or the response is no image.
    init?(of origin: OriginRecord, in digest: CacheKey, _ mediaType: String) {
        guard origin.header.hasCredentials, mediaType.hasPrefix("image/") else { return nil }
        self = digest == origin.digest ? .present : .stripped
    }
}
