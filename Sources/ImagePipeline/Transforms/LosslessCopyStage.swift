import HTTPCache
import ImagePlan
import LinuxSystem

/// Finds and stores lossless copies of originals, which are variants with a plan text that no request can contain.
///
/// A PNG is used in place of the original; from a JPEG XL, the JPEG is restored (`RestoredOriginalStage`).
/// Like any variant, a copy refers to the digest of the original's body: another body makes it void, and a purge of the original
/// removes it.
struct LosslessCopyStage: Sendable {
    let parts: PipelineParts

    /// Returns the key of an original's copy.
    static func key(of origin: CacheKey) -> CacheKey { RestoredOriginalStage.key(ofCopyOf: origin) }

    /// Whether originals of the request's source are stored as copies, and one can replace the original for the request.
    func mayServe(_ request: VariantRequest) -> Bool {
        guard storesCopies(of: request.origin), request.keeps.keepOnDisk, let plan = request.plan else { return false }
        return LosslessCopy.serves(plan)
    }

    /// Whether JPEG originals of a request's source are stored as JPEG XL.
    func storesJPEGXL(of request: OriginRequest) -> Bool {
        request.source.serialization == .jxl && storesCopies(of: request)
    }

    private func storesCopies(of request: OriginRequest) -> Bool {
        request.source.serialization != .none && !request.source.isFolder && parts.disk != nil
            && request.keeps.originals.keepOnDisk
    }

    /// Returns the stored PNG of an original; on the read lane.
    func find(of origin: OriginRecord) -> MezzanineStage.Found? {
        guard let stored = parts.disk?.variant(Self.key(of: origin.key)), stored.record.originDigest == origin.digest,
            stored.record.format == .picture(LosslessCopy.format)
        else { return nil }
        let body = OriginBody(file: stored.file, length: stored.record.length, digest: stored.record.digest)
        return MezzanineStage.Found(mezzanine: nil, body: body, format: LosslessCopy.format)
    }

    /// Whether the copy of an original is on disk, without a use of it; on the read lane.
    func isStored(of origin: OriginRecord) -> Bool {
        parts.disk?.peek(variant: Self.key(of: origin.key))?.record.originDigest == origin.digest
    }

    /// Queues a copy from a worker.
    func keep(_ picture: TransformResult.Picture, of origin: OriginRecord) {
        let record = VariantRecord(
            key: Self.key(of: origin.key),
            origin: origin.key,
            originDigest: origin.digest,
            plan: RestoredOriginalStage.plan,
            format: picture.description.format,
            width: picture.description.width,
            height: picture.description.height,
            frames: picture.description.frames,
            length: picture.bytes.count,
            digest: CacheKey(hashing: picture.bytes)
        )
        parts.disk?.store(variant: record, origin: origin, bytes: picture.bytes)
    }
}

/// The bodies of originals for which a copy failed or is not smaller, so that later requests do not repeat the attempt.
///
/// At most `capacity` digests, forgotten at a restart; if there are more, all are forgotten.
final class FailedCopies: Sendable {
    private static let capacity = 4096
    private let digests = Lock<Set<CacheKey>>([])

    /// Whether no copy can be made of a body.
    func contains(_ digest: CacheKey) -> Bool { digests.withLock { $0.contains(digest) } }

    /// Adds a body.
    func insert(_ digest: CacheKey) {
        digests.withLock { digests in
            if digests.count >= Self.capacity { digests = [] }
            digests.insert(digest)
        }
    }
}
