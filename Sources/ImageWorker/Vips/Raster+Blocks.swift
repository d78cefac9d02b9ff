import CVips

extension Raster {
    /// Returns the mean of each block of an 8-bit image, one pixel per block, in memory; blocks at the right and bottom edges may be smaller.
    ///
    /// Colours count by their alpha. Means are rounded half up, exactly, since sums are of whole numbers.
    func blockMeans(block: Int, _ deadline: Deadline) throws -> Raster {
        let (width, height, bands) = (width, height, bands)
        let columns = (width + block - 1) / block
        let made = try Raster.make("write_prepare") { out in
            unsafe edge_vips_memory_sized(pointer, &out, CInt(columns), CInt((height + block - 1) / block))
        }
        var sums = [BlockSum](repeating: BlockSum(), count: columns)
        var line = [UInt8](repeating: 0, count: columns * bands)
        var y = 0
        try unsafe eachRow(deadline) { row throws(VipsError) in
            for column in 0..<columns {
                for x in column * block..<min(width, (column + 1) * block) {
                    unsafe sums[column].add(row + x * bands, bands)
                }
            }
            y += 1
            guard y.isMultiple(of: block) || y == height else { return }
            for column in 0..<columns {
                let mean = sums[column].mean
                for band in 0..<bands { line[column * bands + band] = mean[band] }
                sums[column] = BlockSum()
            }
            let place = CInt((y - 1) / block)
            guard unsafe vips_image_write_line(made.pointer, place, &line) == 0 else {
                throw VipsError.take("write_line")
            }
        }
        return made
    }

    /// Enlarges every pixel to a block and crops the result to a size.
    func blocks(_ block: Int, width: Int, height: Int) throws(VipsError) -> Raster {
        let zoomed = try Raster.make("zoom") { out in
            unsafe edge_vips_zoom(pointer, &out, CInt(min(block, width)), CInt(min(block, height)))
        }
        return try zoomed.cropped(left: 0, top: 0, width: width, height: height)
    }
}

/// The sum of the pixels of a block.
private struct BlockSum {
    /// Colours times alpha, and alpha.
    private var values = SIMD4<Int>()
    private var count = 0

    /// Adds a pixel; one of three bands is opaque.
    mutating func add(_ pixel: UnsafePointer<UInt8>, _ bands: Int) {
        let alpha = bands == 4 ? unsafe Int(pixel[3]) : 255
        let colour = unsafe SIMD4(Int(pixel[0]), Int(pixel[1]), Int(pixel[2]), 1)
        values &+= colour &* alpha
        count += 1
    }

    /// The mean, rounded half up; black without alpha.
    var mean: SIMD4<UInt8> {
        func rounded(_ sum: Int, _ weight: Int) -> UInt8 { UInt8((2 * sum + weight) / max(1, 2 * weight)) }
        return SIMD4(
            rounded(values.x, values.w),
            rounded(values.y, values.w),
            rounded(values.z, values.w),
            rounded(values.w, count)
        )
    }
}
