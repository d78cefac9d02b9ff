import HTTPCache
import ImagePlan
import LinuxSystem

/// Stores mezzanines as variants of their originals, with a plan text that no request can contain, within the quota of variants.
///
/// Like any variant, a mezzanine refers to its original's row and to the digest of the body that it was made from: another body
/// makes it void, and a purge of the original removes it.
struct MezzanineStage: Sendable {
    let parts: PipelineParts

    /// A stored mezzanine, or a lossless copy.
    struct Found: Sendable {
        /// `nil` for a lossless copy.
        var mezzanine: Mezzanine?
        var body: OriginBody
        /// The format of the file.
        var format: ImageFormat
        /// Whether it has just come from the shared store.
        var isShared = false

        /// The reduction on each axis.
        var factor: Int { mezzanine?.factor ?? 1 }
    }

    /// Returns the key of an original's mezzanine.
    static func key(of origin: CacheKey, _ mezzanine: Mezzanine) -> CacheKey {
        CacheKey(hashing: "\(mezzanine.planText)\n\(origin)")
    }

    /// Returns the best stored mezzanine in place of `wanted`; on the read lane.
    func find(_ wanted: Mezzanine, of origin: OriginRecord) -> Found? {
        for mezzanine in [wanted] + wanted.alternatives {
            let key = Self.key(of: origin.key, mezzanine)
            guard let (record, body) = recent(key, of: origin) ?? stored(key, of: origin),
                let format = record.format.image
            else { continue }
            return Found(mezzanine: mezzanine, body: body, format: format)
        }
        return nil
    }

    /// Whether a mezzanine is stored, without a use of it; on the read lane.
    func isStored(_ mezzanine: Mezzanine, of origin: OriginRecord) -> Bool {
        let key = Self.key(of: origin.key, mezzanine)
        return parts.recent.derived(key, from: origin.digest) != nil
            || parts.disk?.peek(variant: key)?.record.originDigest == origin.digest
    }

    /// Returns a mezzanine that is not on disk yet.
    private func recent(_ key: CacheKey, of origin: OriginRecord) -> (VariantRecord, OriginBody)? {
        guard let recent = parts.recent.derived(key, from: origin.digest), let body = parts.body(recent.bytes)
        else { return nil }
        return (recent.record, body)
    }

    private func stored(_ key: CacheKey, of origin: OriginRecord) -> (VariantRecord, OriginBody)? {
        guard let stored = parts.disk?.variant(key), stored.record.originDigest == origin.digest else { return nil }
        let body = OriginBody(file: stored.file, length: stored.record.length, digest: stored.record.digest)
        return (stored.record, body)
    }

    /// Stores a mezzanine from a worker; one that cannot be stored is made again later.
    ///
    /// - Parameter place: the place in the log of purges when the request began, to share it with other nodes; `nil` for this node only.
    func keep(
        _ picture: TransformResult.Picture,
        as mezzanine: Mezzanine,
        of origin: OriginRecord,
        sharedAt place: SharedPlace? = nil
    ) {
        let description = picture.description
        guard let disk = parts.disk, description.format.image != nil else { return }
        let record = VariantRecord(
            key: Self.key(of: origin.key, mezzanine),
            origin: origin.key,
            originDigest: origin.digest,
            plan: mezzanine.planText,
            format: description.format,
            width: description.width,
            height: description.height,
            frames: description.frames,
            length: picture.bytes.count,
            digest: CacheKey(hashing: picture.bytes)
        )
        parts.recent.store(record, of: origin, bytes: picture.bytes, on: disk)
        if let place { share(record, picture.bytes, as: mezzanine, of: origin, at: place) }
    }

    /// Whether a failure of work on a mezzanine says that it cannot be decoded.
    static func isUndecodable(_ error: PipelineError) -> Bool {
        error.traits.failureClass == .undecodable && error.traits.isOriginFault
    }

    /// Removes a mezzanine that cannot be decoded from this node, and from the shared store if it came from there.
    ///
    /// Of no effect for a lossless copy.
    func discard(_ found: Found, of origin: OriginRecord) {
        guard let mezzanine = found.mezzanine else { return }
        let key = Self.key(of: origin.key, mezzanine)
        parts.recent.drop(derived: key, digest: found.body.digest)
        parts.disk?.drop(variant: key, digest: found.body.digest)
        if found.isShared { discardShared(mezzanine, of: origin) }
    }
}
