import CVips
import ImagePlan

extension ScaledJPEG {
    /// The largest image to hold in memory, in bytes; libvips streams larger ones.
    private static let largest = 64 << 20

    /// Decodes a source into memory, with the metadata of libvips' image of it.
    ///
    /// It has pixels at the right and lower edge that stand for fewer than the others, which libvips leaves out.
    ///
    /// - Parameter lazy: libvips' image, whose pixels have not been decoded.
    /// - Returns: `nil` if libvips must decode it.
    /// - Throws: `VipsError`, or `WorkerReply.Failure.deadline`.
    static func raster(of source: SourceMapping, _ options: DecodingOptions, as lazy: Raster) throws -> Raster? {
        try source.withSpan { file in
            guard let image = ScaledJPEG(file, factor: options.shrink),
                (image.size.width - 1...image.size.width).contains(lazy.width),
                (image.size.height - 1...image.size.height).contains(lazy.height), image.bands == lazy.bands,
                lazy.format == VIPS_FORMAT_UCHAR, image.size.pixels * image.bands <= largest
            else { return nil }
            let made = try Raster.make("write_prepare") { out in
                unsafe edge_vips_memory_sized(lazy.pointer, &out, CInt(image.size.width), CInt(image.size.height))
            }
            var y: CInt = 0
            let isComplete = try image.decode(file) { row in
                try options.deadline?.check()
                let isWritten = unsafe row.withUnsafeBufferPointer { bytes in
                    // libvips only reads the line.
                    unsafe vips_image_write_line(made.pointer, y, UnsafeMutablePointer(mutating: bytes.baseAddress))
                        == 0
                }
                guard isWritten else { throw VipsError.take("write_line") }
                y += 1
            }
            return isComplete ? made : nil
        }
    }
}
