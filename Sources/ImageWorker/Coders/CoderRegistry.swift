import ImagePlan

/// All coders (SDWebImage's `SDImageCodersManager`).
enum CoderRegistry {
    /// A new format needs a type in this folder and a line here.
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

    /// Returns the coder of a format.
    static func coder(for format: ImageFormat) -> (any Coder)? {
        format == .planes ? PlanesCoder() : all.first { $0.format == format }
    }

    /// The available encoders, for format negotiation; libvips must have been started.
    static let encoders = EncoderTable(
        Dictionary(
            uniqueKeysWithValues: all.filter(\.isEncoderThere).compactMap { coder in
                coder.traits.map { (coder.format, $0) }
            }
        )
    )
}
