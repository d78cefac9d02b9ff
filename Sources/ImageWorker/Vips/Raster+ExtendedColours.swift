import CVips

extension Raster {
    /// Extends the colours of visible pixels to those of alpha 0, whose own colours must not show; alpha does not change.
    ///
    /// For operations that mix neighbouring pixels and cannot work on premultiplied colours. An image without alpha is returned as it
    /// is; the result for any other is in memory.
    /// - Parameter softness: the weight of farther pixels, more than 0: with little of it, a colour is that of the nearest pixels; with
    ///   more, colours change gently.
    func withExtendedColours(softness: Float, _ deadline: Deadline) throws -> Raster {
        guard hasAlpha else { return self }
        try deadline.check()
        deadline.watch(self)
        let source = try inMemory()
        guard let colours = try source.visibleColours(softness) else { return source }
        var y = 0
        return try source.mapped(nil) { row, target, pixels in
            unsafe target.copyMemory(from: row, byteCount: 4 * pixels)
            for x in 0..<pixels where unsafe row.load(fromByteOffset: 4 * x + 3, as: UInt8.self) == 0 {
                unsafe target.storeBytes(of: colours.colour(x, y), toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
            }
            y += 1
        }
    }

    /// Replaces the pixels that have alpha 0 in another image by those of that image.
    func withHiddenPixels(of other: Raster) throws(VipsError) -> Raster {
        let alpha = try other.bands(from: other.bands - 1, count: 1)
        return try Raster.make("ifthenelse") { out in
            unsafe edge_vips_choose(alpha.pointer, pointer, other.pointer, &out)
        }
    }

    /// Returns the visible colours of an 8-bit RGBA image in memory; `nil` if no pixel has alpha 0, or all have.
    private func visibleColours(_ softness: Float) throws(VipsError) -> VisibleColours? {
        precondition(bands == 4)
        let (width, height) = (width, height)
        return try withPixels { bytes in
            let pixels = unsafe bytes.bindMemory(to: SIMD4<UInt8>.self)
            guard unsafe pixels.contains(where: { $0.w == 0 }) else { return nil }
            var colours = VisibleColours(width: width, height: height, side: 4) { x, y in
                let pixel = unsafe pixels[y * width + x]
                return SIMD4(Float(pixel.x), Float(pixel.y), Float(pixel.z), 1) * Float(pixel.w)
            }
            colours.spread(softness)
            return colours.sums[0].w > 0 ? colours : nil
        }
    }
}

/// The colours of blocks of pixels: means by alpha of the pixels in and around a block, the nearer the heavier.
private struct VisibleColours {
    /// The side of a block.
    private let side: Int
    /// The size in blocks.
    private let width: Int
    private let height: Int
    /// Of each block, the sum of colours times alpha, and of alpha.
    private(set) var sums: [SIMD4<Float>]

    /// Adds up the values of `width` × `height` pixels; blocks at the right and bottom edges may be smaller.
    init(width: Int, height: Int, side: Int, _ value: (_ x: Int, _ y: Int) -> SIMD4<Float>) {
        self.side = side
        self.width = (width + side - 1) / side
        self.height = (height + side - 1) / side
        sums = Array(repeating: .zero, count: self.width * self.height)
        for y in 0..<height {
            for x in 0..<width { sums[y / side * self.width + x / side] += value(x, y) }
        }
    }

    /// Adds a share of the sums of blocks of twice the side, which are spread likewise.
    mutating func spread(_ share: Float) {
        guard sums.count > 1 else { return }
        var larger = VisibleColours(width: width, height: height, side: 2) { x, y in sums[y * width + x] }
        larger.spread(share)
        for y in 0..<height {
            for x in 0..<width { sums[y * width + x] += larger.sum(x, y) * share }
        }
    }

    /// Returns the colour at a pixel, rounded half up, with alpha 0.
    func colour(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        let sum = sum(x, y)
        let colour = sum / sum.w + 0.5
        return SIMD4(UInt8(colour.x), UInt8(colour.y), UInt8(colour.z), 0)
    }

    /// Returns the sum at a pixel, interpolated bilinearly between the nearest blocks.
    private func sum(_ x: Int, _ y: Int) -> SIMD4<Float> {
        let (column, nextColumn, across) = blocks(at: x, of: width)
        let (row, nextRow, down) = blocks(at: y, of: height)
        let near = sums[row * width + column] * (1 - across) + sums[row * width + nextColumn] * across
        let far = sums[nextRow * width + column] * (1 - across) + sums[nextRow * width + nextColumn] * across
        return near * (1 - down) + far * down
    }

    /// Returns the block of a position, the nearest other one, and the weight of that.
    private func blocks(at position: Int, of count: Int) -> (own: Int, other: Int, weight: Float) {
        let own = position / side
        // From the middle of the block, in half pixels.
        let offset = 2 * (position - own * side) + 1 - side
        let other = min(max(0, offset < 0 ? own - 1 : own + 1), count - 1)
        return (own, other, Float(abs(offset)) / Float(2 * side))
    }
}
