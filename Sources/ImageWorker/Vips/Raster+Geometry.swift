import CVips
import ImagePlan

extension Raster {
    /// Scales to exactly `width` × `height`, with a Lanczos kernel of three lobes to shrink and a bicubic one to enlarge.
    ///
    /// It works on stored sRGB values, not in linear light, as browsers and SDWebImage do; that is twice as fast. Images with alpha must
    /// be premultiplied.
    func resized(width: Int, height: Int) throws(VipsError) -> Raster {
        let reduced = try reduced(width: min(width, self.width), height: min(height, self.height))
        guard width > reduced.width || height > reduced.height else { return reduced }
        return try Raster.make("affine") { out in
            unsafe edge_vips_enlarge(reduced.pointer, &out, CInt(width), CInt(height))
        }
    }

    private func reduced(width: Int, height: Int) throws(VipsError) -> Raster {
        guard width != self.width || height != self.height else { return self }
        let scaled = try Raster.make("resize") { out in
            unsafe edge_vips_resize(
                pointer,
                &out,
                Double(width) / Double(self.width),
                Double(height) / Double(self.height)
            )
        }
        // libvips rounds after an integer shrink and may be off by one pixel.
        return try scaled.withSize(PixelSize(width: width, height: height))
    }

    /// Returns the image with exactly a size: with its last column and row repeated, or without some of them.
    func withSize(_ size: PixelSize) throws(VipsError) -> Raster {
        let (paddedWidth, paddedHeight) = (max(size.width, width), max(size.height, height))
        let isLargeEnough = (paddedWidth, paddedHeight) == (width, height)
        let padded =
            isLargeEnough ? self : try repeatingEdges(left: 0, top: 0, width: paddedWidth, height: paddedHeight)
        return try padded.cropped(left: 0, top: 0, width: size.width, height: size.height)
    }

    /// Reduces the image in memory by a factor, by means of blocks; a last odd row or column is repeated.
    ///
    /// Opaque 8-bit images are averaged row by row here, since libvips 8.14 takes about ten times as long.
    /// - Parameters:
    ///   - factor: a power of two.
    ///   - deadline: the deadline for computing pixels; `nil` for none.
    func reduced(by factor: Int, _ deadline: Deadline? = nil) throws -> Raster {
        guard factor > 1 else { return self }
        guard let halved = HalvedPictures(of: self, factors: [factor]) else {
            let size = PixelSize(width: width, height: height).reduced(by: factor)
            return try transparently { frame in try frame.resized(width: size.width, height: size.height) }.inMemory()
        }
        try unsafe eachRow(deadline) { row throws(VipsError) in try unsafe halved.receive(row) }
        guard let made = halved.finished(factor) else { throw VipsError.take("halve") }
        return made
    }

    /// Crops to a rectangle inside the image.
    func cropped(left: Int, top: Int, width: Int, height: Int) throws(VipsError) -> Raster {
        if left == 0, top == 0, width == self.width, height == self.height { return self }
        return try Raster.make("extract_area") { out in
            unsafe edge_vips_extract(pointer, &out, CInt(left), CInt(top), CInt(width), CInt(height))
        }
    }

    /// Returns the position that libvips' smart crop chooses for a size; needs random access.
    func smartCropOffset(
        width: Int,
        height: Int,
        _ interest: VipsInteresting
    ) throws(VipsError) -> (left: Int, top: Int) {
        let cut = try Raster.make("smartcrop") { out in
            unsafe edge_vips_smartcrop(pointer, &out, CInt(width), CInt(height), interest)
        }
        // libvips stores a crop's position as negative offsets.
        return unsafe (
            max(0, -Int(vips_image_get_xoffset(cut.pointer))), max(0, -Int(vips_image_get_yoffset(cut.pointer)))
        )
    }

    /// Places the image on a larger canvas of one colour.
    func embedded(
        left: Int,
        top: Int,
        width: Int,
        height: Int,
        background: [Double]
    ) throws(VipsError) -> Raster {
        try Raster.make("embed") { out in
            unsafe edge_vips_embed(
                pointer,
                &out,
                CInt(left),
                CInt(top),
                CInt(width),
                CInt(height),
                background,
                CInt(background.count)
            )
        }
    }

    /// Places the image on a larger canvas, on which its edge pixels are repeated.
    func repeatingEdges(left: Int, top: Int, width: Int, height: Int) throws(VipsError) -> Raster {
        try Raster.make("embed") { out in
            unsafe edge_vips_embed_copy(pointer, &out, CInt(left), CInt(top), CInt(width), CInt(height))
        }
    }

    /// Mirrors horizontally or vertically; vertical mirroring needs random access.
    func flipped(_ direction: VipsDirection) throws(VipsError) -> Raster {
        try Raster.make("flip") { out in unsafe edge_vips_flip(pointer, &out, direction) }
    }

    /// Rotates clockwise by quarter turns without resampling; needs random access.
    func turned(quarters: Int) throws(VipsError) -> Raster {
        let angles = [VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270]
        let angle = angles[((quarters % 4) + 4) % 4]
        guard angle != VIPS_ANGLE_D0 else { return self }
        return try Raster.make("rot") { out in unsafe edge_vips_rot(pointer, &out, angle) }
    }

    /// Rotates clockwise by any angle about the centre, onto the centre of a canvas; needs random access.
    func rotated(degrees: Double, on canvas: PixelSize, background: [Double]) throws(VipsError) -> Raster {
        try Raster.make("affine") { out in
            unsafe edge_vips_rotate(
                pointer,
                &out,
                degrees,
                CInt(canvas.width),
                CInt(canvas.height),
                background,
                CInt(background.count)
            )
        }
    }

    /// Stacks frames of one size.
    static func stacked(_ frames: [Raster]) throws(VipsError) -> Raster {
        if frames.count == 1 { return frames[0] }
        var pointers: [UnsafeMutablePointer<VipsImage>?] = unsafe frames.map { frame in unsafe frame.pointer }
        let joined = try Raster.make("arrayjoin") { out in
            unsafe pointers.withUnsafeMutableBufferPointer { buffer in
                unsafe edge_vips_arrayjoin_down(buffer.baseAddress, &out, CInt(buffer.count))
            }
        }
        withExtendedLifetime(frames) {}
        return joined
    }

    /// Computes all pixels into memory, so that they can be read in any order and repeatedly.
    func inMemory() throws(VipsError) -> Raster {
        guard let copy = unsafe vips_image_copy_memory(pointer) else { throw VipsError.take("copy_memory") }
        return unsafe Raster(owning: copy)
    }
}
