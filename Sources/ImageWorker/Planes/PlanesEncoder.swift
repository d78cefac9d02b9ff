import ImagePlan

/// Encodes RGB or RGBA as a `PlanesFile`.
struct PlanesEncoder {
    let size: PixelSize
    /// The profile of the samples' colour space; empty for sRGB.
    var profile: [UInt8] = []
    let deadline: Deadline

    /// Encodes an image of `bands` interleaved samples per pixel, without padding between rows.
    ///
    /// - Parameter bands: 3, or 4 with alpha.
    /// - Throws: `WorkerReply.Failure.deadline`.
    func encode(_ pixels: UnsafeRawBufferPointer, bands: Int) throws -> [UInt8] {
        let layout = bands == 4 ? PlanesFile.Layout.alpha : .colour
        let header = PlanesFile(size: size, layout: layout, profileLength: profile.count)
        var strips = (0..<layout.components).map { PlaneStrip(blocks: layout.blocks($0, width: size.width)) }
        let colour = layout == .colour ? JPEGColour(width: size.width, height: size.height, bands: 3, sampling: 2) : nil
        var file = header.header + profile
        file.reserveCapacity(size.pixels * bands / 3)
        var scratch: [UInt8] = []
        for strip in 0..<header.strips {
            try deadline.check()
            let top = strip * layout.rows
            if let colour {
                unsafe colour.convert(pixels, from: top)
                for index in strips.indices { strips[index].fill(from: colour.strips[index]) }
            } else {
                unsafe separate(pixels, from: top, into: &strips)
            }
            for index in strips.indices { strips[index].encode(to: &file, &scratch) }
        }
        return file
    }

    /// Fills the strip that begins at row `top` with G, R - G, B - G and A; the last column and row are repeated as far as needed.
    private func separate(_ pixels: UnsafeRawBufferPointer, from top: Int, into strips: inout [PlaneStrip]) {
        for row in 0..<PlaneBlock.side {
            let source = min(top + row, size.height - 1) * size.width * 4
            let target = strips[0].row(row)
            for column in 0..<strips[0].stride {
                let place = source + 4 * min(column, size.width - 1)
                let green = unsafe pixels[place + 1]
                strips[0].samples[target + column] = green
                strips[1].samples[target + column] = unsafe pixels[place] &- green
                strips[2].samples[target + column] = unsafe pixels[place + 2] &- green
                strips[3].samples[target + column] = unsafe pixels[place + 3]
            }
        }
    }
}

extension PlaneStrip {
    /// Copies the rows of a strip of the same size.
    fileprivate mutating func fill(from strip: JPEGStrip) {
        let first = row(0)
        let count = samples.count - first
        unsafe samples.withUnsafeMutableBufferPointer { target in
            guard let start = target.baseAddress else { return }
            unsafe (start + first).update(from: strip.row(0), count: count)
        }
    }
}
