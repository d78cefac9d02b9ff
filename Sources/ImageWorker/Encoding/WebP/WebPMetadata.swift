import CVips
import CWebP
import ImagePlan

/// The metadata chunks of a WebP file (RFC 9649 §2.7.1.4–5): profile, EXIF and XMP.
struct WebPMetadata {
    /// Four-letter names and contents.
    private let chunks: [(name: String, bytes: [UInt8])]

    /// Creates the chunks for a raster's metadata.
    ///
    /// libvips saves a file of one pixel with them, since only libvips can serialise its EXIF fields; the size in these is the raster's.
    init(of raster: Raster) throws(VipsError) {
        let pixel = try raster.cropped(left: 0, top: 0, width: 1, height: 1).withMetadata { metadata in
            for field in [VIPS_META_PAGE_HEIGHT, VIPS_META_N_PAGES, "delay", "loop", "gif-delay", "gif-loop"] {
                metadata.remove(field)
            }
        }
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        guard unsafe edge_vips_save_webp(pixel.pointer, &bytes, &count) == 0, let bytes = unsafe bytes else {
            throw VipsError.take("save")
        }
        let file = unsafe EncodedPicture(owning: UnsafeRawBufferPointer(start: bytes, count: count)).copy
        // libvips writes a default EXIF block if there is none.
        let hasEXIF = raster.fields.contains { $0.hasPrefix("exif-") }
        chunks = Self.chunks(of: file).filter { hasEXIF || $0.name != "EXIF" }.map { chunk in
            var chunk = chunk
            if chunk.name == "EXIF" {
                ExifDimensions.set(&chunk.bytes, width: raster.width, height: raster.height)
            }
            return chunk
        }
    }

    /// The EXIF block from the TIFF header on; `nil` if there is none.
    var exif: [UInt8]? {
        let prefix = Array("Exif\0\0".utf8)
        return self["EXIF"].map { block in block.starts(with: prefix) ? Array(block.dropFirst(prefix.count)) : block }
    }

    /// The content of a chunk; `nil` if there is none.
    subscript(name: String) -> [UInt8]? { chunks.first { $0.name == name }?.bytes }

    /// Returns the metadata chunks of a file.
    private static func chunks(of file: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        var found: [(name: String, bytes: [UInt8])] = []
        var start = 12
        while start + 8 <= file.count {
            let name = String(decoding: file[start..<start + 4], as: UTF8.self)
            let size = (0..<4).reduce(0) { $0 | Int(file[start + 4 + $1]) << (8 * $1) }
            guard start + 8 + size <= file.count else { break }
            if ["ICCP", "EXIF", "XMP "].contains(name) {
                found.append((name, Array(file[start + 8..<start + 8 + size])))
            }
            start += 8 + size + size % 2
        }
        return found
    }

    /// Returns the file with these chunks added.
    func added(to picture: EncodedPicture) throws(WorkerReply.Failure) -> EncodedPicture {
        guard !chunks.isEmpty else { return picture }
        return try picture.withBytes { (bytes) throws(WorkerReply.Failure) in
            var file = unsafe WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
            guard let mux = unsafe WebPMuxCreate(&file, 0) else { throw .worker("libwebp cannot read its own file") }
            defer { unsafe WebPMuxDelete(mux) }
            for (name, content) in chunks {
                let outcome = unsafe content.withUnsafeBufferPointer { content in
                    var chunk = unsafe WebPData(bytes: content.baseAddress, size: content.count)
                    // 1: libwebp copies the content.
                    return unsafe WebPMuxSetChunk(mux, name, &chunk, 1)
                }
                guard outcome == WEBP_MUX_OK else { throw .worker("libwebp cannot add \(name)") }
            }
            var whole = unsafe WebPData()
            guard unsafe WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK, let start = unsafe whole.bytes else {
                throw .worker("libwebp cannot assemble a file")
            }
            return unsafe EncodedPicture(
                owning: UnsafeRawBufferPointer(start: start, count: whole.size),
                release: { unsafe WebPFree($0) }
            )
        }
    }
}
