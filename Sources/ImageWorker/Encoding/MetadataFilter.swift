import CVips
import ImagePlan

/// Selects the metadata of the source that the result keeps.
///
/// The pixels are upright sRGB, so no policy keeps another profile or an orientation.
struct MetadataFilter {
    let policy: MetadataPolicy

    /// The EXIF fields of `meta=copyright` (Exif 3.0 §4.6.5.4: Artist, Copyright).
    private static let copyrightFields: Set<String> = ["exif-ifd0-Copyright", "exif-ifd0-Artist"]
    /// The raw EXIF block; libvips builds the result's from it without the fields that were removed.
    private static let exifBlock = "exif-data"

    /// Removes the metadata that the policy does not keep.
    func apply(to raster: Raster) throws(VipsError) -> Raster {
        let fields = raster.fields
        let packet = policy == .keep ? raster.bytes(VIPS_META_XMP_NAME).map(XMPPacket.init) : nil
        return try raster.withMetadata { metadata in
            // The result contains one image and no auxiliary data.
            if let packet {
                packet.ofResult.map { metadata.set(VIPS_META_XMP_NAME, $0) }
                    ?? metadata.remove(VIPS_META_XMP_NAME)
            }
            for field in fields where !keeps(field, among: fields) { metadata.remove(field) }
            // Exif 3.0 §4.6.5.1.6: the image is upright now.
            metadata.remove(VIPS_META_ORIENTATION)
            metadata.remove("exif-ifd0-Orientation")
        }
    }

    private func keeps(_ field: String, among fields: [String]) -> Bool {
        let isMetadata =
            field.hasPrefix("exif-") || field == VIPS_META_XMP_NAME || field == VIPS_META_IPTC_NAME
            || field == VIPS_META_ICC_NAME || field == VIPS_META_PHOTOSHOP_NAME || field == "jpeg-thumbnail-data"
            || field.hasPrefix("png-comment-") || field == "gif-comment" || field == VIPS_META_IMAGEDESCRIPTION
        guard isMetadata else { return true }
        switch policy {
        case .keep: return field != "jpeg-thumbnail-data"
        case .strip: return false
        case .copyright:
            if field == Self.exifBlock { return fields.contains { Self.copyrightFields.contains($0) } }
            return Self.copyrightFields.contains(field)
        }
    }
}
