import CVips
import ImagePlan

extension AnimatedPNG {
    /// The pictures that are shown one after the other, as one stack with the metadata that libvips' loaders of animations give.
    ///
    /// Each frame is decoded as a PNG of its own, and laid on what the ones before it left (§4.9).
    /// - Parameters:
    ///   - deadline: asked before each frame; `nil` for none.
    ///   - last: the last frame that is wanted, zero-based and one of them; `nil` for all.
    /// - Throws: `VipsError` for a frame whose data are damaged, and `WorkerReply.Failure.deadline`.
    func composed(_ source: SourceMapping, _ deadline: Deadline?, through last: Int? = nil) throws -> Raster {
        var canvas = AnimationCanvas(width: width, height: height)
        var shown: [Raster] = []
        let frames = frames[...(last ?? frames.count - 1)]
        for (index, frame) in frames.enumerated() {
            try deadline?.check()
            let pixels = try decoded(frame, source, deadline)
            // §11.3.6.2: nothing is there to go back to before the first frame.
            let disposal = index == 0 && frame.disposal == .previous ? .background : frame.disposal
            try canvas.show(pixels, of: frame, disposal) { bytes in
                try shown.append(Raster.sRGB(bytes, width: width, height: height, bands: 4))
            }
        }
        return try Raster.stacked(shown).withMetadata { metadata in
            metadata.set(VIPS_META_PAGE_HEIGHT, height)
            metadata.set(VIPS_META_N_PAGES, frames.count)
            metadata.set(Animation.delayField, frames.map(\.delay))
            metadata.set(Animation.loopField, rounds)
        }
    }

    /// Says on one of its frames what libvips' loaders say of the animation on theirs.
    func describe(to metadata: borrowing Raster.MetadataEditor) {
        metadata.set(VIPS_META_N_PAGES, frames.count)
        metadata.set(Animation.delayField, frames.map(\.delay))
        metadata.set(Animation.loopField, rounds)
    }

    /// A frame's own pixels as RGBA, 8-bit sRGB.
    private func decoded(_ frame: Frame, _ source: SourceMapping, _ deadline: Deadline?) throws -> [UInt8] {
        let file = source.withSpan { bytes in picture(of: frame, in: bytes) }
        let colour = PNGColour(file.span)
        let raster = try unsafe file.withUnsafeBytes { file in
            try Raster.make("load") { out in
                unsafe edge_vips_load_png(file.baseAddress, file.count, &out)
            }
            .withColour(colour)
            .inMemory()
        }
        guard raster.width == frame.width, raster.height == frame.height else {
            throw WorkerReply.Failure.broken("a frame of another size than it says")
        }
        return try raster.convertedToSRGB(deadline).withAlpha().inMemory().withPixels { pixels in unsafe Array(pixels) }
    }

    /// A PNG file of one frame.
    private func picture(of frame: Frame, in bytes: Span<UInt8>) -> [UInt8] {
        func copy(_ range: Range<Int>, to file: inout [UInt8]) {
            unsafe bytes.extracting(range).withUnsafeBufferPointer { part in unsafe file.append(contentsOf: part) }
        }
        var file = Self.signature
        file += PNGChunk.encoded("IHDR", PNGChunk.word(frame.width) + PNGChunk.word(frame.height) + pixelFormat)
        for chunk in meaning { copy(chunk, to: &file) }
        var data: [UInt8] = []
        for range in frame.data { copy(range, to: &data) }
        file += PNGChunk.encoded("IDAT", data)
        return file + PNGChunk.encoded("IEND", [])
    }
}
