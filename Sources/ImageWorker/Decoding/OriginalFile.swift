import ImagePlan

/// The source's own bytes as a result: with its metadata or without, never decoded.
struct OriginalFile {
    let mapping: SourceMapping

    /// Reads the header, and takes the metadata out unless it is to stay.
    ///
    /// - Throws: `WorkerReply.Failure.broken`, or `MetadataCleaner.Stop`.
    func read(keepsMetadata: Bool = false) throws -> (header: ImageHeader, bytes: [UInt8]) {
        let bytes = unsafe Array(mapping.bytes)
        guard case .image(let header) = ImageSniffer.sniff(bytes.span, totalLength: bytes.count) else {
            throw WorkerReply.Failure.broken("its header cannot be read")
        }
        return (header, keepsMetadata ? bytes : try MetadataCleaner.clean(bytes.span, as: header))
    }
}

extension WorkerReply.Output {
    /// The description of an original's own bytes.
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
