package import HTTPCache
import HTTPSemantics
package import ImagePlan

/// A requested image: an original and its transform; the key of stages 1 to 3.
///
/// An immutable class, because copying its properties would cost more than a cache hit.
package final class VariantRequest: Sendable {
    /// The hash of everything that affects the bytes: original, plan, bucket, default qualities and animation limits.
    package let key: CacheKey
    package let origin: OriginRequest
    /// The plan's canonical text; `nil` requests the original's own bytes.
    package let plan: String?
    /// The format bucket of `format=auto`, or `jxl` if a JPEG XL may stand for the bare original; `nil` if the response does not depend
    /// on `Accept`.
    package let bucket: FormatBucket?
    /// The tiers that may store it; not part of the key, because they do not affect the bytes.
    package let tiers: CacheTiers
    /// Names of the applied presets; not part of the key.
    package let presets: [String]
    /// Whether the plan is that of a preset, and no client has changed it; not part of the key.
    package let isPresetPlan: Bool
    /// The maximum pixels of the result; `nil` for none but the limits of the source.
    ///
    /// Part of the key, so that requests with another limit do not receive its failures. Their results are shared by the resolved
    /// key, to which it does not belong.
    package let outputPixels: Int?
    /// Default encoder qualities.
    package let quality: QualityDefaults
    /// The plan's auxiliary images, in order.
    package let auxiliaries: [Auxiliary]

    /// The tiers that may store the response.
    var keeps: CacheTiers { origin.keepsNothing ? .none : tiers }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - tiers: the tiers that may store it; `nil` for the source's.
    ///   - presets: names of the applied presets.
    ///   - isPresetPlan: whether the plan is that of a preset.
    ///   - outputPixels: the maximum pixels of the result.
    ///   - quality: default qualities; `nil` for the source's.
    ///   - auxiliaries: the plan's auxiliary images, each once.
    package init(
        origin: OriginRequest,
        plan: String?,
        bucket: FormatBucket?,
        tiers: CacheTiers? = nil,
        presets: [String] = [],
        isPresetPlan: Bool = false,
        outputPixels: Int? = nil,
        quality: QualityDefaults? = nil,
        auxiliaries: [Auxiliary] = []
    ) {
        let policy = origin.source.cache
        // An image that must not be stored must not be stored as part of a variant either.
        let isKept = !auxiliaries.contains { $0.origin.source.cache.keepsNothing }
        self.tiers = !isKept ? .none : plan == nil && bucket == nil ? policy.originals : tiers ?? policy.variants
        self.auxiliaries = auxiliaries
        self.origin = origin
        self.presets = presets
        self.isPresetPlan = isPresetPlan
        self.outputPixels = plan == nil ? nil : outputPixels
        self.plan = plan
        self.bucket = bucket
        self.quality = quality ?? origin.source.quality
        guard let plan else {
            let passing = origin.source.unsupported == .pass ? "\nunsupported" : ""
            key = CacheKey(hashing: "bare/1\n\(origin.key)\(passing)\(bucket.map { "\n\($0.name)" } ?? "")")
            return
        }
        let qualities = self.quality.keyText
        let animation = origin.source.animation.keyText
        let formats = origin.source.formats.keyText
        let rest = [
            animation.isEmpty ? "" : "\n\(animation)", formats.isEmpty ? "" : "\n\(formats)",
            origin.source.encodingKeyText(plan: plan, bucket: bucket),
            auxiliaries.map { "\n\($0.origin.key)" }.joined(), outputPixels.map { "\nat most \($0)" } ?? "",
        ]
        .joined()
        key = CacheKey(hashing: "variant/2\n\(origin.key)\n\(plan)\n\(bucket?.name ?? "-")\n\(qualities)\(rest)")
    }

    /// The same request without storage of the variant or its originals.
    var withoutStorage: VariantRequest { VariantRequest(withoutStorage: self) }

    private init(withoutStorage request: VariantRequest) {
        key = request.key
        origin = request.origin.withoutStorage
        plan = request.plan
        presets = request.presets
        isPresetPlan = request.isPresetPlan
        outputPixels = request.outputPixels
        bucket = request.bucket
        tiers = request.tiers
        quality = request.quality
        auxiliaries = request.auxiliaries.map(\.withoutStorage)
    }
}

extension VariantRequest {
    /// Returns the label of a variant's record: the plan, and the bucket if there is one.
    func label(plan: String) -> String { bucket.map { "\(plan) \($0.name)" } ?? plan }

    /// Why an original is served unchanged; `nil` if it is transformed as requested.
    ///
    /// Descriptions such as `format=json` are still made, if the original is an image.
    func reasonToPass(_ record: OriginRecord) -> PassReason? {
        guard let plan else { return nil }
        let source = origin.source
        let reason: PassReason? =
            if source.unsupported == .pass, source.isUnsupported(record.header.format) {
                .unsupported
            } else if obeysNoTransform(of: record) {
                .noTransform
            } else {
                nil
            }
        guard let reason, (try? Plan(canonicalText: plan))?.settings.format.isMetadata != true else { return nil }
        return reason
    }
}

extension VariantRequest {
    /// Whether the bare original is requested, with its metadata or without, by a client to which a JPEG XL may stand for it.
    ///
    /// Until that has been made, and if it cannot be, the response is the bare original.
    var takesTranscoding: Bool { bucket == .jxl && (plan == nil || plan == MetadataCleaner.planText) }

    /// Whether the response can be a stored variant, and not only the stored original.
    var mayBeVariant: Bool { plan != nil || takesTranscoding }

    /// Whether the source forbids to transform an original, as its origin has asked.
    func obeysNoTransform(of record: OriginRecord) -> Bool {
        guard origin.source.noTransform == .obey else { return false }
        return [record.cacheControl, record.clientCacheControl].contains { control in
            control.map { CacheControl($0).noTransform } ?? false
        }
    }
}

/// Why an original is served unchanged in place of the requested variant; the value of `X-Untransformed`.
package enum PassReason: String, Hashable, Sendable {
    /// Its origin sent `no-transform` (RFC 9111 §5.2.2.6), and the source obeys.
    case noTransform = "no-transform"
    /// It is no image of a format that the source reads, and the source passes such content on.
    case unsupported
}

/// An auxiliary image of a variant, such as a watermark or mask.
package struct Auxiliary: Sendable {
    /// The image's text in the plan (`AuxiliaryPath.text`).
    package let name: String
    /// The parameter that names it, for errors.
    package let parameter: String
    package let origin: OriginRequest

    /// Creates an auxiliary image.
    package init(name: String, parameter: String, origin: OriginRequest) {
        self.name = name
        self.parameter = parameter
        self.origin = origin
    }

    /// The same image without storage.
    var withoutStorage: Auxiliary {
        Auxiliary(name: name, parameter: parameter, origin: origin.withoutStorage)
    }
}
