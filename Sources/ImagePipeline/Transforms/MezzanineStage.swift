import HTTPCache
import ImagePlan
import LinuxSystem
import OriginTransfer

/// Where mezzanines are kept: beside the originals, in their quota, each as a stored original of its own that names the body it was
/// made of.
struct MezzanineStage: Sendable {
    let parts: PipelineParts

    /// A mezzanine that is at hand.
    struct Found: Sendable {
        var mezzanine: Mezzanine
        var body: OriginBody
        /// The format of its file.
        var format: ImageFormat
    }

    /// The key of one of an original's mezzanines.
    static func key(of origin: CacheKey, _ mezzanine: Mezzanine) -> CacheKey {
        CacheKey(hashing: "\(mezzanine.planText)\n\(origin)")
    }

    /// The keys of all mezzanines that an original may have.
    static func keys(of origin: CacheKey) -> [CacheKey] {
        Mezzanine.factors.map { key(of: origin, Mezzanine(factor: $0)) }
    }

    /// The best one at hand for who would have `wanted`; on the read lane.
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

    /// Keeps one that a worker made; what cannot be kept is made again some time.
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
            // What it is made of: another body of the original makes it void.
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
