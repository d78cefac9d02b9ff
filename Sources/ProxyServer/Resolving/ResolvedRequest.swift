import HTTPCache
import ImagePipeline
import ImagePlan

/// A resolved request target: the possible variants and the request's own response fields.
///
/// Immutable and shared by all requests with the same target, so that a frequent target is parsed once.
final class ResolvedRequest: Sendable {
    /// The requested variants.
    enum Choice: Sendable {
        /// The response does not depend on `Accept`.
        case fixed(VariantRequest)
        /// `format=auto`: one variant per bucket.
        case negotiated(
            rest: VariantRequest,
            webp: VariantRequest,
            avif: VariantRequest,
            jxl: VariantRequest,
            avifJXL: VariantRequest
        )
    }

    let choice: Choice
    /// The variants for clients with `Save-Data`; `nil` if they are the same.
    let saving: Choice?
    /// The parameters that client hints determine, resolved with the hints of one request or with defaults; `nil` for none.
    let hints: RequestHints?
    /// The request fields that responses, including errors, may depend on.
    let vary: VaryFields
    /// The response fields that depend on the request.
    let fields: OwnFields
    /// Whether responses have `Server-Timing`.
    let tellsTiming: Bool
    /// The time from which the request is refused (`exp`), in seconds since 1970; `nil` for never.
    let expires: Int64?
    /// Names of the client's cookies that the origin receives; empty for none.
    let cookies: [String]
    /// Whether it was resolved with cookies of a client, to whom alone its responses belong.
    let isPersonal: Bool
    /// Whether clients are to save the response as a file (`download`).
    let isDownload: Bool
    /// The `Content-Disposition`, which is not in `fields`, if it depends on the format of the result; otherwise `nil`.
    let disposition: ContentDisposition?
    /// What the signed query asks of the cache.
    let options: SignedOptions
    /// The fallback for an original that is unavailable.
    let fallback: StandInPicture?

    /// What rules decide about the request and its responses.
    let rules: RequestRules
    /// What every response says about its source (`AnswerTag`).
    let tag: UInt64

    /// The same request for another original, with its own status.
    struct StandInPicture: Sendable {
        var choice: Choice
        var status: Int
        /// Seconds.
        var ttl: Int64
    }

    /// - Parameters:
    ///   - disposition: the `Content-Disposition`; `nil` for none.
    ///   - crossOrigin: the encoded CORS fields.
    init(
        _ choice: Choice,
        saving: Choice?,
        hints: RequestHints? = nil,
        disposition: ContentDisposition?,
        crossOrigin: [UInt8],
        tellsTiming: Bool,
        expires: Int64?,
        cookies: [String] = [],
        isPersonal: Bool = false,
        options: SignedOptions,
        fallback: StandInPicture?,
        rules: RequestRules = RequestRules(),
        tag: UInt64 = 0
    ) {
        self.tag = tag
        isDownload = disposition?.isDownload ?? false
        let isFixed = disposition?.isFixed ?? true
        self.disposition = isFixed ? nil : disposition
        self.rules = rules
        self.choice = choice
        self.saving = saving
        self.hints = hints
        var vary = hints?.vary ?? []
        if case .negotiated = choice { vary.insert(.accept) }
        if saving != nil { vary.insert(.saveData) }
        if !cookies.isEmpty { vary.insert(.cookie) }
        self.cookies = cookies
        self.isPersonal = isPersonal
        self.vary = vary
        let fixed = isFixed ? disposition?.field(for: "") ?? [] : []
        fields = OwnFields(vary: vary, crossOrigin: crossOrigin, disposition: fixed)
        self.tellsTiming = tellsTiming
        self.fallback = fallback
        self.options = options
        self.expires = expires
    }

    /// The response fields that depend on the request, for content of a media type.
    func fields(for mediaType: String) -> [UInt8] {
        disposition.map { fields.all + $0.field(for: mediaType) } ?? fields.all
    }

    /// Whether the format is negotiated.
    var isNegotiated: Bool { vary.contains(.accept) }

    /// Whether the bare original is requested, with its metadata or without.
    var isBare: Bool {
        let plan = choice.variant(for: .rest).plan
        return plan == nil || plan == MetadataCleaner.planText
    }

    /// The variant for a bucket.
    @inline(__always)
    func variant(for bucket: @autoclosure () -> FormatBucket) -> VariantRequest { choice.variant(for: bucket()) }
}

extension ResolvedRequest {
    /// The variants of the target, each once: one for each bucket if the format is negotiated.
    var variants: [VariantRequest] {
        var variants: [VariantRequest] = []
        switch choice {
        case .fixed(let variant): variants = [variant]
        case .negotiated(let rest, let webp, let avif, let jxl, let avifJXL):
            variants = [avifJXL, avif, jxl, webp, rest]
        }
        var keys: Set<CacheKey> = []
        return variants.filter { keys.insert($0.key).inserted }
    }

    /// The variants that browsers request, each once: those that support JPEG XL support AVIF, too.
    ///
    /// - Parameter limit: returns a bucket without the formats that workers do not encode.
    func commonVariants(limit: (FormatBucket) -> FormatBucket) -> [VariantRequest] {
        var keys: Set<CacheKey> = []
        return [FormatBucket.avifJXL, .avif, .webp, .rest].map { choice.variant(for: limit($0)) }
            .filter { keys.insert($0.key).inserted }
    }
}

extension ResolvedRequest.Choice {
    /// The variant for a bucket.
    @inline(__always)
    func variant(for bucket: @autoclosure () -> FormatBucket) -> VariantRequest {
        switch self {
        case .fixed(let variant): return variant
        case .negotiated(let rest, let webp, let avif, let jxl, let avifJXL):
            return switch bucket() {
            case .rest: rest
            case .webp: webp
            case .avif: avif
            case .jxl: jxl
            case .avifJXL: avifJXL
            }
        }
    }
}

/// The response fields that depend on the request instead of the image, encoded once per target.
struct OwnFields: Hashable, Sendable {
    /// The CORS fields of every response, including failures.
    let crossOrigin: [UInt8]
    /// `crossOrigin` and `Vary`.
    let vary: [UInt8]
    /// `vary` and `Content-Disposition`, unless it depends on the format.
    let all: [UInt8]
    /// `all` after the `Cache-Status` of a memory or disk hit, so that a hit concatenates nothing.
    let memory: [UInt8]
    let disk: [UInt8]

    init(vary: VaryFields, crossOrigin: [UInt8], disposition: [UInt8]) {
        self.crossOrigin = crossOrigin
        // A sum with an empty array would be a copy.
        self.vary = vary.isEmpty ? crossOrigin : crossOrigin + vary.bytes
        all = disposition.isEmpty ? self.vary : self.vary + disposition
        memory = CacheStatusFields.memory + all
        disk = CacheStatusFields.disk + all
    }
}
