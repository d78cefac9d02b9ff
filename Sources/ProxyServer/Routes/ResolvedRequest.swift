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
    /// Whether a signature was verified.
    let isSigned: Bool
    /// What stands in where the original cannot be had.
    let fallback: Fallback?

    /// The same of another original, under a status of its own.
    struct Fallback: Sendable {
        var choice: Choice
        var status: Int
        /// Seconds.
        var ttl: Int64
    }

    init(_ choice: Choice, disposition: [UInt8], expires: Int64?, isSigned: Bool, fallback: Fallback?) {
        self.choice = choice
        self.fallback = fallback
        self.isSigned = isSigned
        self.expires = expires
        self.disposition = disposition
    }

    /// Whether answers, errors included, say `Vary: Accept`.
    var isNegotiated: Bool {
        if case .negotiated = choice { true } else { false }
    }

    /// The variant for a client of a bucket.
    @inline(__always)
    func variant(for bucket: @autoclosure () -> FormatBucket) -> VariantRequest { choice.variant(for: bucket()) }
}

extension ResolvedRequest.Choice {
    /// The variant for a client of a bucket.
    @inline(__always)
    func variant(for bucket: @autoclosure () -> FormatBucket) -> VariantRequest {
        switch self {
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
