import HTTPCache
import ImagePlan

/// Mezzanines of other nodes.
///
/// They are kept by the content of their original, and are as immutable: any node with a usable record of the
/// original may use them.
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

    /// Removes a mezzanine from the shared store, where otherwise no node would replace it.
    func discardShared(_ mezzanine: Mezzanine, of origin: OriginRecord) {
        parts.shared?.discard(mezzanine: Self.plan(mezzanine), of: origin.digest)
    }

    /// Looks up the best mezzanine in place of `wanted`, first here and then in the shared store, one after the other.
    ///
    /// - Parameters:
    ///   - publish: runs a storing closure unless a purge forbids it.
    ///   - completion: called once, on the read lane, or on a thread of the store if there is none.
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
        let otherwise: @Sendable () -> Void = { [self] in
            findShared(Array(mezzanines.dropFirst()), of: origin, publish: publish, completion: completion)
        }
        shared.find(mezzanine: Self.plan(mezzanine), of: origin.digest) { [self] received in
            guard let received else { return otherwise() }
            let isTaken = parts.readLane.submit { [self] in
                guard let result = received.decoded() else { return otherwise() }
                guard let format = format(of: result, as: mezzanine, of: origin) else {
                    discardShared(mezzanine, of: origin)
                    return otherwise()
                }
                completion(adopt(result, format, as: mezzanine, of: origin, publish))
            }
            if !isTaken { completion(nil) }
        }
    }

    /// Returns the format of a mezzanine of another node; `nil` if it is not what this node would have made.
    private func format(of result: SharedResult, as mezzanine: Mezzanine, of origin: OriginRecord) -> ImageFormat? {
        let size = Reduction(factor: mezzanine.factor, original: origin.header).size
        guard let picture = VariantMetadata(encoded: result.record.metadata),
            PixelSize(width: picture.width, height: picture.height) == size
        else { return nil }
        return picture.format.image
    }

    /// Stores a mezzanine of another node here, as if it had been made here.
    ///
    /// - Returns: `nil` if there is no room for it.
    private func adopt(
        _ result: SharedResult,
        _ format: ImageFormat,
        as mezzanine: Mezzanine,
        of origin: OriginRecord,
        _ publish: (@escaping @Sendable () -> Void) -> Void
    ) -> Found? {
        guard let body = parts.body(result.bytes) else { return nil }
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
        return Found(mezzanine: mezzanine, body: body, format: format, isShared: true)
    }
}
