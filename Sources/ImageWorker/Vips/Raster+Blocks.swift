import CVips

extension Raster {
    /// Returns the mean of each block as floats, one pixel per block; blocks at the right and bottom edges may be smaller.
    func blockMeans(block: Int) throws(VipsError) -> Raster {
        let across = min(block, width)
        let down = min(block, height)
        let columns = (width + across - 1) / across
        let rows = (height + down - 1) / down
        let nothing = [Double](repeating: 0, count: bands)
        let floats = try cast(to: VIPS_FORMAT_FLOAT)
        let whole = try floats.embedded(
            left: 0,
            top: 0,
            width: columns * across,
            height: rows * down,
            background: nothing
        )
        let means = try Raster.make("shrink") { out in
            unsafe edge_vips_shrink(whole.pointer, &out, Double(across), Double(down))
        }
        // Pixels outside counted as 0, so the means of partial blocks are too small.
        let weights = try Raster.grid(
            columns: Self.weights(length: width, block: across, count: columns),
            rows: Self.weights(length: height, block: down, count: rows),
            .product
        )
        return try means.times(weights)
    }

    private static func weights(length: Int, block: Int, count: Int) -> [Float] {
        var weights = [Float](repeating: 1, count: count)
        weights[count - 1] = Float(block) / Float(length - (count - 1) * block)
        return weights
    }

    /// Enlarges every pixel to a block and crops the result to a size.
    func blocks(_ block: Int, width: Int, height: Int) throws(VipsError) -> Raster {
        let zoomed = try Raster.make("zoom") { out in
            unsafe edge_vips_zoom(pointer, &out, CInt(min(block, width)), CInt(min(block, height)))
        }
        return try zoomed.cropped(left: 0, top: 0, width: width, height: height)
    }
}
