import HTTPCache
import HTTPSemantics
package import ImagePlan

/// What is known of an original without asking its origin.
package struct KnownOriginal: Sendable {
    /// The size after EXIF orientation; `nil` if the image's header does not state it.
    package var size: PixelSize?
    package var placeholder: Placeholder?
    /// Whether a shared cache may store the original (RFC 9111 §3).
    package var isShared: Bool

    fileprivate init(_ record: OriginRecord) {
        isShared = record.policy.isStorable
        let size = record.header.orientedSize
        self.size = size.width > 0 && size.height > 0 ? size : nil
        placeholder = record.placeholder
    }
}

/// Answering before an image is made.
extension Pipeline {
    /// Whether a variant is being looked up in the caches, so that it may be answered from there.
    package func isLookingUp(_ request: VariantRequest) -> Bool {
        switch variants.stage(of: request.key) {
        case .starting, .disk: true
        default: false
        }
    }

    /// Looks up what memory or disk know of an original.
    ///
    /// - Parameter completion: called once, on this thread or on the read lane.
    package func known(_ request: OriginRequest, completion: @escaping @Sendable (KnownOriginal?) -> Void) {
        @Sendable func known(_ state: OriginState?) -> KnownOriginal? {
            // What may have been purged elsewhere is not shown, not even as a placeholder.
            state.flatMap { $0.trust == .full ? KnownOriginal($0.record) : nil }
        }
        if let live = parts.origins.live(request.key) { return completion(known(live)) }
        let isTaken = parts.readLane.submit { [parts] in
            completion(known(OriginalStore.find(request, in: parts)?.original?.state))
        }
        if !isTaken { completion(nil) }
    }
}
