import CVips
import ImagePlan

/// Mezzanines (`PlanesFile`): decoded by bounds-checked Swift code, and encoded by `MezzanineMaker`.
///
/// Not in `CoderRegistry.all`: no original and no result has this format.
struct PlanesCoder: HeaderReading {
    let format = ImageFormat.planes
    let loader: VipsPart? = nil

    func facts(of source: SourceMapping) throws(WorkerReply.Failure) -> SourceDecoder.Facts {
        guard let file = source.withSpan({ bytes in PlanesFile(bytes) }) else { throw Self.damaged }
        return SourceDecoder.Facts(
            format: format,
            size: file.size,
            frames: 1,
            orientation: 1,
            hasAlpha: file.layout == .alpha
        )
    }

    func open(_ source: SourceMapping, _ options: DecodingOptions) throws -> Raster {
        try source.withSpan { bytes in
            guard let decoder = PlanesDecoder(bytes) else { throw Self.damaged }
            let file = decoder.file
            let pixel = [UInt8](repeating: 0, count: file.layout.bands)
            let one = try Raster.sRGB(pixel, width: 1, height: 1, bands: pixel.count)
            if let profile = file.profile(in: bytes) {
                unsafe vips_image_set_blob_copy(one.pointer, VIPS_META_ICC_NAME, profile, profile.count)
            }
            let made = try Raster.make("write_prepare") { out in
                unsafe edge_vips_memory_sized(one.pointer, &out, CInt(file.size.width), CInt(file.size.height))
            }
            let halved = HalvedPictures(of: made, factors: [options.shrink])
            var y: CInt = 0
            let isComplete = try decoder.decode(bytes) { row in
                try options.deadline?.check()
                if let halved {
                    try unsafe row.withUnsafeBufferPointer { bytes in
                        guard let start = bytes.baseAddress else { return }
                        try unsafe halved.receive(start)
                    }
                    return
                }
                let isWritten = unsafe row.withUnsafeBufferPointer { bytes in
                    // libvips only reads the line.
                    unsafe vips_image_write_line(made.pointer, y, UnsafeMutablePointer(mutating: bytes.baseAddress))
                        == 0
                }
                guard isWritten else { throw VipsError.take("write_line") }
                y += 1
            }
            guard isComplete, let raster = halved.map({ $0.finished(options.shrink) }) ?? made else {
                throw Self.damaged
            }
            return raster
        }
    }

    private static let damaged = WorkerReply.Failure.broken("the mezzanine is damaged")
}
