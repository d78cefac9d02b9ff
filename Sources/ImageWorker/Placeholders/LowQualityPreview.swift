import ImagePlan

/// `format=lqip`: the best WebP preview whose `data:` URI fits into 300 bytes (RFC 2397).
struct LowQualityPreview {
    /// The longest URI, in bytes.
    static let maximumSize = 300
    private static let prefix = "data:image/webp;base64,"
    /// The longest sides in pixels and the qualities to try, best first: at most 24 tries of a fraction of a millisecond each.
    private static let sides = [32, 24, 16, 12, 8, 4]
    private static let qualities = [60, 40, 20, 5]

    let dataURI: String

    /// Encodes a tiny image at decreasing sizes and qualities until it fits.
    ///
    /// - Throws: `WorkerReply.Failure.refused` if nothing fits, which does not happen with libwebp.
    init(of raster: Raster, _ deadline: Deadline) throws {
        for side in Self.sides {
            let picture = try Self.shrink(raster, to: side)
            for quality in Self.qualities {
                let finished = FinishedPicture(
                    frames: [picture],
                    animation: nil,
                    filter: MetadataFilter(policy: .strip)
                )
                let options = EncodingOptions(quality: quality, deadline: deadline)
                let file = try WebPCoder().encode(finished, options).copy
                guard let bytes = BareWebP.strip(file),
                    Self.prefix.utf8.count + Base64.encodedCount(bytes.count) <= Self.maximumSize
                else { continue }
                dataURI = Self.prefix + Base64.encode(bytes)
                return
            }
        }
        throw WorkerReply.Failure.refused("no preview fits into \(Self.maximumSize) bytes")
    }

    private static func shrink(_ raster: Raster, to side: Int) throws -> Raster {
        let size = PixelSize(width: raster.width, height: raster.height)
        let target = ResizeStep(width: side, height: side).geometry(for: size).output
        guard target != size else { return raster }
        return try raster.transparently { try $0.resized(width: target.width, height: target.height) }
    }
}
