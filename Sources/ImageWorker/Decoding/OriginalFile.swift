import ImagePlan

/// The source's own bytes as a result, with or without metadata, without decoding.
struct OriginalFile {
    let mapping: SourceMapping

    /// Reads the header and removes the metadata unless it is kept.
    ///
    /// - Throws: `WorkerReply.Failure.broken`, or `MetadataCleaner.Stop`.
    func read(keepsMetadata: Bool = false) throws -> (header: ImageHeader, bytes: [UInt8]) {
        let bytes = unsafe Array(mapping.bytes)
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else {
            throw WorkerReply.Failure.broken("the header cannot be read")
        }
        return (header, keepsMetadata ? bytes : try MetadataCleaner.clean(bytes.span, as: header))
    }
}

extension WorkerReply.Output {
    /// Describes an original's own bytes.
    init(of header: ImageHeader, length: Int) {
        self.init(
            format: .picture(header.format),
            width: header.width,
            height: header.height,
            frames: header.frames,
            hasAlpha: header.hasAlpha ?? false,
            length: length
        )
    }
}
