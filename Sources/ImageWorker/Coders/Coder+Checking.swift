import ImagePlan

extension Coder {
    /// Makes sure that an encoder has made a picture, and of this size.
    ///
    /// libheif gives a file without a picture where its encoder has no memory, and calls that success.
    /// - Throws: `WorkerReply.Failure.refused`: of this size the encoder makes none, whatever the source.
    func check(_ encoded: EncodedPicture, isOf size: PixelSize) throws(WorkerReply.Failure) {
        let isMade = encoded.withSpan { bytes in
            guard case .image(let header) = ImageSniffer.sniff(bytes, totalLength: bytes.count),
                header.format == format, header.width == size.width, header.height == size.height
            else { return false }
            return format != .avif || HEIFItemData.primaryLength(bytes) > 0
        }
        guard isMade else {
            throw .refused("\(format)'s encoder made nothing of \(size) pixels; it may need more than workers.memory")
        }
    }
}
