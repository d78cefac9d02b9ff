import HTTPCache
import ImagePlan

/// What a request comes to with a particular original; requests with equal keys have byte-identical results, except that one may
/// have been encoded again with more effort.
///
/// The key contains the digest of the original's body, so another body has other resolved keys.
struct ResolvedVariant: Sendable {
    /// The hash of everything that the bytes depend on.
    let key: CacheKey
    private let effect: PlanEffect

    /// Resolves a request.
    ///
    /// - Parameters:
    ///   - plan: the request's plan.
    ///   - auxiliaries: the records of the plan's auxiliary images, in order.
    /// - Returns: `nil` if the request's own key is all that is known (`PlanEffect`).
    init?(_ request: VariantRequest, plan: String, of origin: OriginRecord, with auxiliaries: [OriginRecord]) {
        guard let plan = try? Plan(canonicalText: plan) else { return nil }
        let source = request.origin.source
        let encoding = PlanEffect.Encoding(
            bucket: request.bucket,
            quality: request.quality,
            unwritten: source.formats.unwritten,
            takesSmallest: request.encodingSearch.takesSmallest
        )
        guard let effect = PlanEffect(of: plan, on: origin.header, encoding, within: source.limits.decodeBytes) else {
            return nil
        }
        self.effect = effect
        let parts =
            ["resolved/1", "\(request.origin.key)", "\(origin.digest)", source.animation.keyText]
            + [source.formats.keyText] + auxiliaries.map { "\($0.key) \($0.digest)" } + [effect.text]
        key = CacheKey(hashing: parts.joined(separator: "\n"))
    }

    /// Whether a worker's result is the one that was predicted, so that all requests with this key have it.
    func isResult(_ output: WorkerReply.Output) -> Bool {
        effect.matches(output.format, width: output.width, height: output.height, frames: output.frames)
    }

    /// Whether a stored result is the one that was predicted.
    func isResult(_ record: VariantRecord) -> Bool {
        effect.matches(record.format, width: record.width, height: record.height, frames: record.frames)
    }
}
