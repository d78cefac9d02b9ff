import ImagePlan

/// Decodes a `PlanesFile` to rows of RGB or RGBA.
///
/// Bounds-checked: damaged data ends the decoding, and is never a read outside the file.
struct PlanesDecoder {
    let file: PlanesFile

    /// Reads the header; `nil` for a damaged one.
    init?(_ bytes: Span<UInt8>) {
        guard let file = PlanesFile(bytes) else { return nil }
        self.file = file
    }

    /// Decodes the image.
    ///
    /// - Parameter write: receives the rows from top to bottom; valid during the call.
    /// - Returns: `false` if the data is damaged; rows may have been written by then.
    /// - Throws: what `write` throws.
    func decode<Failure: Error>(
        _ bytes: Span<UInt8>,
        _ write: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        let (width, layout) = (file.size.width, file.layout)
        var strips = (0..<layout.components).map { PlaneStrip(blocks: layout.blocks($0, width: width)) }
        var place = file.start
        // Some more, for pixels that are written eight at a time.
        var line = [UInt8](repeating: 0, count: (width + 8) * layout.bands + 8)
        var left = file.size.height
        while left > 0 {
            for index in strips.indices { guard strips[index].decode(bytes, &place) else { return false } }
            for row in 0..<min(left, layout.rows) {
                if layout == .colour {
                    Self.convert(strips[0], strips[1], strips[2], row: row, width: width, to: &line)
                } else {
                    Self.join(strips, row: row, width: width, to: &line)
                }
                try write(line.span.extracting(0..<width * layout.bands))
            }
            left -= min(left, layout.rows)
        }
        return place == bytes.count
    }

    /// Converts a row of Y, Cb and Cr.
    private static func convert(
        _ luma: borrowing PlaneStrip,
        _ blue: borrowing PlaneStrip,
        _ red: borrowing PlaneStrip,
        row: Int,
        width: Int,
        to line: inout [UInt8]
    ) {
        let (first, half) = (luma.row(row), blue.row(row / 2))
        let (y, cb, cr) = unsafe (luma.samples.span.bytes, blue.samples.span.bytes, red.samples.span.bytes)
        var span = line.mutableSpan
        var pixels = unsafe span.mutableBytes
        precondition(
            first >= 0 && half >= 0 && first + (width + 7) & ~7 <= y.byteCount
                && half + (width + 15) / 16 * 8 <= min(cb.byteCount, cr.byteCount)
                && PixelRows.room(for: width) <= pixels.byteCount
        )
        for column in stride(from: 0, to: width, by: 16) {
            let (low, high) = unsafe ChromaTerms(
                cb: PixelRows.eight(cb, at: half &+ column / 2),
                cr: PixelRows.eight(cr, at: half &+ column / 2)
            ).doubled
            let luma = first &+ column
            unsafe PixelRows.store(PixelRows.eight(y, at: luma), low, to: &pixels, at: 3 &* column)
            guard column &+ 8 < width else { break }
            unsafe PixelRows.store(PixelRows.eight(y, at: luma &+ 8), high, to: &pixels, at: 3 &* column &+ 24)
        }
    }

    /// Converts a row of G, R - G, B - G and A.
    private static func join(_ strips: [PlaneStrip], row: Int, width: Int, to line: inout [UInt8]) {
        let start = strips[0].row(row)
        for column in 0..<width {
            let green = strips[0].samples[start + column]
            line[4 * column] = strips[1].samples[start + column] &+ green
            line[4 * column + 1] = green
            line[4 * column + 2] = strips[2].samples[start + column] &+ green
            line[4 * column + 3] = strips[3].samples[start + column]
        }
    }
}
