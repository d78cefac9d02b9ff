package import HTTPCache
package import ImagePlan

/// A picture that is asked for: an original and what to make of it; the key of stages 1 to 3.
///
/// Immutable, and a class: a hot request is looked up again and again, and copying all that it names would cost more than the hit.
package final class VariantRequest: Sendable {
    /// The hash of the original's key, plan, bucket, default qualities and bounds of animations: all that the bytes depend on, and nothing else.
    package let key: CacheKey
    package let origin: OriginRequest
    /// The plan's canonical text; `nil` asks for the original's own bytes.
    package let plan: String?
    /// What `format=auto` answers; `nil` where the answer does not depend on `Accept`.
    package let bucket: FormatBucket?
    /// Which tiers may keep it; says nothing of the bytes, so not part of the key.
    package let tiers: CacheTiers
    /// Names of the presets that had their say; they are no part of the key.
    package let presets: [String]
    /// Encoder qualities where the plan names none.
    package let quality: QualityDefaults
    /// The other originals that the plan names, in its order.
    package let ingredients: [Ingredient]

    /// Which tiers keep what comes of the request.
    var keeps: CacheTiers { origin.keepsNothing ? .none : tiers }

    /// Names a variant.
    ///
    /// - Parameters:
    ///   - tiers: where it may be kept; `nil` for where its source says.
    ///   - presets: those that had their say.
    ///   - quality: `nil` for its source's.
    ///   - ingredients: the other originals that the plan names, each once.
    package init(
        origin: OriginRequest,
        plan: String?,
        bucket: FormatBucket?,
        tiers: CacheTiers? = nil,
        presets: [String] = [],
        quality: QualityDefaults? = nil,
        ingredients: [Ingredient] = []
    ) {
        let policy = origin.source.cache
        // What must not be kept is not kept as a part of a picture either.
        let isKept = !ingredients.contains { $0.origin.source.cache.keepsNothing }
        self.tiers = !isKept ? .none : plan == nil ? policy.originals : tiers ?? policy.variants
        self.ingredients = ingredients
        self.origin = origin
        self.presets = presets
        self.plan = plan
        self.bucket = bucket
        self.quality = quality ?? origin.source.quality
        guard let plan else {
            key = CacheKey(hashing: "bare/1\n\(origin.key)")
            return
        }
        let qualities = self.quality.keyText
        let animation = origin.source.animation.keyText
        let rest = [
            animation.isEmpty ? "" : "\n\(animation)", origin.source.encodingKeyText(plan: plan, bucket: bucket),
            ingredients.map { "\n\($0.origin.key)" }.joined(),
        ]
        .joined()
        key = CacheKey(hashing: "variant/1\n\(origin.key)\n\(plan)\n\(bucket?.name ?? "-")\n\(qualities)\(rest)")
    }

    /// The same variant, of which nothing is kept, nor of its original.
    var withoutStorage: VariantRequest { VariantRequest(withoutStorage: self) }

    private init(withoutStorage request: VariantRequest) {
        key = request.key
        origin = request.origin.withoutStorage
        plan = request.plan
        presets = request.presets
        bucket = request.bucket
        tiers = request.tiers
        quality = request.quality
        ingredients = request.ingredients.map(\.withoutStorage)
    }
}
