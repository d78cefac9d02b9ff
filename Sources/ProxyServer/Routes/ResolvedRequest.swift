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
    /// The same for clients that save data; `nil` where it is no other.
    let saving: Choice?
    /// What is left to the client's hints, and was answered by those of one request or by none; `nil` for nothing.
    let hints: RequestHints?
    /// What answers may depend on, errors included.
    let vary: VaryFields
    /// What answers say of the request's form.
    let fields: OwnFields
    /// Whether answers tell how long the stages behind them took.
    let tellsTiming: Bool
    /// Seconds since 1970 from which on the request is refused (`exp`); `nil` for never.
    let expires: Int64?
    /// Whether the origin is asked whatever is stored, which a signature has allowed.
    let refreshes: Bool
    /// What stands in where the original cannot be had.
    let fallback: StandInPicture?

    /// The same of another original, under a status of its own.
    struct StandInPicture: Sendable {
        var choice: Choice
        var status: Int
        /// Seconds.
        var ttl: Int64
    }

    /// - Parameters:
    ///   - disposition: `Content-Disposition`, encoded; empty where nothing was asked.
    ///   - crossOrigin: what answers say to scripts of other origins, encoded.
    init(
        _ choice: Choice,
        saving: Choice?,
        hints: RequestHints? = nil,
        disposition: [UInt8],
        crossOrigin: [UInt8],
        tellsTiming: Bool,
        expires: Int64?,
        refreshes: Bool,
        fallback: StandInPicture?
    ) {
        self.choice = choice
        self.saving = saving
        self.hints = hints
        var vary = hints?.vary ?? []
        if case .negotiated = choice { vary.insert(.accept) }
        if saving != nil { vary.insert(.saveData) }
        self.vary = vary
        fields = OwnFields(vary: vary, crossOrigin: crossOrigin, disposition: disposition)
        self.tellsTiming = tellsTiming
        self.fallback = fallback
        self.refreshes = refreshes
        self.expires = expires
    }

    /// Whether the format is the client's choice.
    var isNegotiated: Bool { vary.contains(.accept) }

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

/// The fields of answers that belong to a request's form and not to the picture: encoded once a target, as the same picture can be
/// asked in several forms.
struct OwnFields: Hashable, Sendable {
    /// What scripts of other origins may read: on every answer, failures included.
    let crossOrigin: [UInt8]
    /// The same and `Vary`.
    let vary: [UInt8]
    /// The same and `Content-Disposition`.
    let all: [UInt8]
    /// The same behind the `Cache-Status` of a hit: what an event loop answers without putting anything together.
    let memory: [UInt8]
    let disk: [UInt8]

    init(vary: VaryFields, crossOrigin: [UInt8], disposition: [UInt8]) {
        self.crossOrigin = crossOrigin
        self.vary = crossOrigin + vary.bytes
        all = self.vary + disposition
        memory = CacheStatusFields.memory + all
        disk = CacheStatusFields.disk + all
    }
}
