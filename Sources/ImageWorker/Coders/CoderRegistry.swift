import ImagePlan

/// The formats of this worker (SDWebImage's `SDImageCodersManager`).
enum CoderRegistry {
    /// A new format is a file of this folder and a line here.
    static let all: [any Coder] = [
        JPEGCoder(),
        PNGCoder(),
        GIFCoder(),
        WebPCoder(),
        AVIFCoder(),
        HEICCoder(),
        TIFFCoder(),
        JXLCoder(),
        JP2Coder(),
        BMPCoder(),
        ICOCoder(),
        SVGCoder(),
        PDFCoder(),
    ]

    /// The coder of a format.
    static func coder(for format: ImageFormat) -> (any Coder)? { all.first { $0.format == format } }

    /// The encoders that are there: what a format may be chosen of; asked for after libvips has started.
    static let encoders = EncoderTable(
        Dictionary(
            uniqueKeysWithValues: all.filter(\.isEncoderThere).compactMap { coder in
                coder.traits.map { (coder.format, $0) }
            }
        )
    )
}
