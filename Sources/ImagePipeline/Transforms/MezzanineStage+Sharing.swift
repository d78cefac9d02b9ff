import HTTPCache
import ImagePlan

/// Mezzanines of other nodes.
///
/// They are kept by the content of their original, and are as immutable: whoever has a usable record of the original may use them.
extension MezzanineStage {
    /// The name of a mezzanine in the shared store.
    private static func plan(_ mezzanine: Mezzanine) -> CacheKey { CacheKey(hashing: mezzanine.planText) }

    /// Queues a mezzanine of this node for the others.
    func share(
        _ record: VariantRecord,
        _ bytes: [UInt8],
        as mezzanine: Mezzanine,
        of origin: OriginRecord,
        at place: SharedPlace
    ) {
        let subject = PurgeSubject(record, of: origin)
        parts.shared?.store(mezzanine: record, bytes: bytes, plan: Self.plan(mezzanine), for: subject, at: place)
    }

    /// Looks up the best mezzanine in place of `wanted`, first here and then in the shared store, one after the other.
    ///
    /// - Parameters:
    ///   - publish: runs a storing closure unless a purge forbids it.
    ///   - completion: called once, on a thread of the store or before this returns.
    func findAnywhere(
        _ wanted: Mezzanine,
        of origin: OriginRecord,
        publish: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Found?) -> Void
    ) {
        if let found = find(wanted, of: origin) { return completion(found) }
        findShared([wanted] + wanted.alternatives, of: origin, publish: publish, completion: completion)
    }

    private func findShared(
        _ mezzanines: [Mezzanine],
        of origin: OriginRecord,
        publish: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        completion: @escaping @Sendable (Found?) -> Void
    ) {
        guard let mezzanine = mezzanines.first, let shared = parts.shared else { return completion(nil) }
        shared.find(mezzanine: Self.plan(mezzanine), of: origin.digest) { [self] result in
            guard let result, let found = adopt(result, as: mezzanine, of: origin, publish) else {
                let rest = Array(mezzanines.dropFirst())
                return findShared(rest, of: origin, publish: publish, completion: completion)
            }
            completion(found)
        }
    }

    /// Stores a mezzanine of another node here, as if it had been made here.
    ///
    /// - Returns: `nil` if it is not what this node would have made.
    private func adopt(
        _ result: SharedResult,
        as mezzanine: Mezzanine,
        of origin: OriginRecord,
        _ publish: (@escaping @Sendable () -> Void) -> Void
    ) -> Found? {
        let size = Reduction(factor: mezzanine.factor, original: origin.header).size
        guard let picture = VariantMetadata(encoded: result.record.metadata), let format = picture.format.image,
            PixelSize(width: picture.width, height: picture.height) == size, let body = body(result.bytes)
        else { return nil }
        let record = VariantRecord(
            key: Self.key(of: origin.key, mezzanine),
            origin: origin.key,
            originDigest: origin.digest,
            plan: mezzanine.planText,
            length: result.bytes.count,
            digest: result.record.digest,
            metadata: result.record.metadata
        )
        publish {
            if let disk = parts.disk { parts.recent.store(record, of: origin, bytes: result.bytes, on: disk) }
        }
        return Found(mezzanine: mezzanine, body: body, format: format)
    }
}
