import ImagePipeline
import ImagePlan

/// A request target, read and understood: which variants it can ask for, and how the answer is to be saved.
///
/// Immutable and shared by all requests with the same target, so that a hot target is parsed once.
final class ResolvedRequest: Sendable {
    /// What is asked for.
    enum Choice: Sendable {
        /// The answer does not depend on `Accept`.
        case fixed(VariantRequest)
        /// `format=auto`: one variant a bucket.
        case negotiated(rest: VariantRequest, webp: VariantRequest, avif: VariantRequest)
    }

    let choice: Choice
    /// `Content-Disposition`, encoded; empty where nothing was asked.
    let disposition: [UInt8]

    /// Seconds since 1970 from which on the request is refused (`exp`); `nil` for never.
    let expires: Int64?

    init(_ choice: Choice, disposition: [UInt8], expires: Int64?) {
        self.choice = choice
        self.expires = expires
        self.disposition = disposition
    }

    /// Whether answers, errors included, say `Vary: Accept`.
    var isNegotiated: Bool {
        if case .negotiated = choice { true } else { false }
    }

    /// The variant for a client of a bucket.
    func variant(for bucket: @autoclosure () -> FormatBucket) -> VariantRequest {
        switch choice {
        case .fixed(let variant): return variant
        case .negotiated(let rest, let webp, let avif):
            return switch bucket() {
            case .rest: rest
            case .webp: webp
            case .avif: avif
            }
        }
    }
}
