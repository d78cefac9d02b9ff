import CVips
import ImagePlan

extension AnimatedPNG {
    /// Returns the composed frames as one stack with the metadata that libvips' loaders of animations set.
    ///
    /// Each frame is decoded as a PNG of its own and composed over the preceding ones (§4.9).
    /// - Parameters:
    ///   - deadline: checked before each frame; `nil` for none.
    ///   - selected: the zero-based frames to return; those before them are composed, too.
    /// - Throws: `VipsError` for a frame whose data are damaged, and `WorkerReply.Failure.deadline`.
    func composed(_ source: SourceMapping, _ deadline: Deadline?, _ selected: Range<Int>) throws -> Raster {
        var canvas = AnimationCanvas(width: width, height: height)
        var shown: [Raster] = []
        for (index, frame) in frames[..<selected.upperBound].enumerated() {
            try deadline?.check()
            let pixels = try decoded(frame, source, deadline)
            // §11.3.6.2: the first frame has no previous content to restore.
            let disposal = index == 0 && frame.disposal == .previous ? .background : frame.disposal
            try canvas.show(pixels, of: frame, disposal) { bytes in
                guard index >= selected.lowerBound else { return }
                try shown.append(Raster.sRGB(bytes, width: width, height: height, bands: 4))
            }
        }
        return try Raster.animation(shown, delays: frames.map(\.delay), of: frames.count, rounds: rounds)
    }

    /// Sets the animation's metadata on one of its frames, as libvips' loaders do.
    func describe(to metadata: borrowing Raster.MetadataEditor) {
        metadata.set(VIPS_META_N_PAGES, frames.count)
        metadata.set(Animation.delayField, frames.map(\.delay))
        metadata.set(Animation.loopField, rounds)
    }

    /// Decodes a frame's own pixels as 8-bit sRGB with alpha.
    private func decoded(_ frame: Frame, _ source: SourceMapping, _ deadline: Deadline?) throws -> [UInt8] {
        let own = source.withSpan { bytes in picture(of: frame, in: bytes) }
        let colour = PNGColour(own.span)
        let file = colour.withEffectiveProfile(own.span) ?? own
        let raster = try unsafe file.withUnsafeBytes { file in
            try Raster.make("load") { out in
                unsafe edge_vips_load_png(file.baseAddress, file.count, &out)
            }
            .withColour(colour)
            .inMemory()
        }
        guard raster.width == frame.width, raster.height == frame.height else {
            throw WorkerReply.Failure.broken("a frame differs from its stated size")
        }
        return try raster.convertedToSRGB(deadline).withAlpha().inMemory().withPixels { pixels in unsafe Array(pixels) }
    }

    /// Returns a PNG file of one frame.
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
