import HTTPCache
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Stores mezzanines as originals, within the quota of originals; the entity tag of each is the digest of its original's body.
struct MezzanineStage: Sendable {
    let parts: PipelineParts

    /// A stored mezzanine.
    struct Found: Sendable {
        var mezzanine: Mezzanine
        var body: OriginBody
        /// The format of the mezzanine's file.
        var format: ImageFormat
    }

    /// Returns the key of an original's mezzanine.
    static func key(of origin: CacheKey, _ mezzanine: Mezzanine) -> CacheKey {
        CacheKey(hashing: "\(mezzanine.planText)\n\(origin)")
    }

    /// Returns the keys of all possible mezzanines of an original.
    static func keys(of origin: CacheKey) -> [CacheKey] {
        Mezzanine.factors.map { key(of: origin, Mezzanine(factor: $0)) }
    }

    /// Returns the best stored mezzanine in place of `wanted`; on the read lane.
    func find(_ wanted: Mezzanine, of origin: OriginRecord) -> Found? {
        for mezzanine in [wanted] + wanted.alternatives {
            let key = Self.key(of: origin.key, mezzanine)
            if let recent = parts.recent.find(key), recent.record.entityTag == origin.digest.description {
                return Found(mezzanine: mezzanine, body: recent.body, format: recent.record.header.format)
            }
            guard let stored = parts.disk?.origin(key), stored.record.entityTag == origin.digest.description,
                let file = stored.file
            else { continue }
            let body = OriginBody(file: file, length: stored.record.length, digest: stored.record.digest)
            return Found(mezzanine: mezzanine, body: body, format: stored.record.header.format)
        }
        return nil
    }

    /// Stores a mezzanine from a worker; one that cannot be stored is made again later.
    func keep(_ picture: TransformResult.Picture, as mezzanine: Mezzanine, of origin: OriginRecord) {
        let description = picture.description
        guard let disk = parts.disk, let format = description.format.image, let body = try? Self.body(picture.bytes)
        else { return }
        let record = OriginRecord(
            key: Self.key(of: origin.key, mezzanine),
            source: origin.source,
            url: origin.url,
            digest: body.digest,
            length: body.length,
            header: ImageHeader(
                format: format,
                width: description.width,
                height: description.height,
                hasAlpha: description.hasAlpha
            ),
            // Another body of the original invalidates the mezzanine.
            entityTag: origin.digest.description,
            lastModified: nil,
            cacheControl: nil,
            freshness: origin.freshness,
            advertisedLifetime: 0,
            tags: origin.tags
        )
        parts.recent.store(record, body, on: disk)
    }

    private static func body(_ bytes: [UInt8]) throws(PipelineError) -> OriginBody {
        let body: TransferBody
        do throws(TransferError) {
            let sink = try BodySink(limit: bytes.count)
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(TransferError) in
                try unsafe sink.append(UnsafeRawBufferPointer(buffer))
            }
            body = try sink.finish()
        } catch {
            throw PipelineError(error)
        }
        return try OriginBody(body)
    }
}
