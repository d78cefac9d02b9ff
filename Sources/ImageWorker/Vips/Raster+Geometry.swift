import CVips

extension Raster {
    /// Scales to exactly `width` × `height`: a Lanczos kernel of three lobes makes sides shorter, a bicubic one longer.
    ///
    /// In sRGB values as they are stored, not in linear light: twice as fast, and what browsers, SDWebImage and the peers do.
    /// Transparent pictures must come premultiplied.
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
        guard scaled.width != width || scaled.height != height else { return scaled }
        // libvips rounds after an integer shrink, and may be off by one pixel then.
        let stretched = try Raster.make("embed") { out in
            unsafe edge_vips_embed_copy(
                scaled.pointer,
                &out,
                0,
                0,
                CInt(max(width, scaled.width)),
                CInt(max(height, scaled.height))
            )
        }
        return try stretched.cropped(left: 0, top: 0, width: width, height: height)
    }

    /// So many times smaller, in memory: means of as many pixels; a last odd row or column goes, as JPEG decoders do.
    ///
    /// Means of opaque 8-bit pixels are made here, row by row: libvips 8.14 takes some ten times as long.
    /// - Parameters:
    ///   - factor: a power of two.
    ///   - deadline: what may end it; `nil` for nothing.
    func reduced(by factor: Int, _ deadline: Deadline? = nil) throws -> Raster {
        guard factor > 1 else { return self }
        guard let halved = HalvedPictures(of: self, factors: [factor]) else {
            return try transparently { frame in
                try frame.resized(width: max(1, frame.width / factor), height: max(1, frame.height / factor))
            }
            .inMemory()
        }
        try unsafe eachRow(deadline) { row throws(VipsError) in try unsafe halved.see(row) }
        guard let made = halved.finished(factor) else { throw VipsError.take("halve") }
        return made
    }

    /// Cuts a rectangle that lies inside the picture.
    func cropped(left: Int, top: Int, width: Int, height: Int) throws(VipsError) -> Raster {
        if left == 0, top == 0, width == self.width, height == self.height { return self }
        return try Raster.make("extract_area") { out in
            unsafe edge_vips_extract(pointer, &out, CInt(left), CInt(top), CInt(width), CInt(height))
        }
    }

    /// Where libvips' smart crop would cut a rectangle of this size; needs random access.
    func smartCropOffset(
        width: Int,
        height: Int,
        _ interest: VipsInteresting
    ) throws(VipsError) -> (left: Int, top: Int) {
        let cut = try Raster.make("smartcrop") { out in
            unsafe edge_vips_smartcrop(pointer, &out, CInt(width), CInt(height), interest)
        }
        // The offset of a crop is kept in the image as what would bring it back.
        return unsafe (
            max(0, -Int(vips_image_get_xoffset(cut.pointer))), max(0, -Int(vips_image_get_yoffset(cut.pointer)))
        )
    }

    /// Places the picture on a larger canvas of one colour.
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

    /// Mirrors left and right, or top and bottom (which needs random access).
    func flipped(_ direction: VipsDirection) throws(VipsError) -> Raster {
        try Raster.make("flip") { out in unsafe edge_vips_flip(pointer, &out, direction) }
    }

    /// Turns clockwise by quarters, exactly; needs random access.
    func turned(quarters: Int) throws(VipsError) -> Raster {
        let angles = [VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270]
        let angle = angles[((quarters % 4) + 4) % 4]
        guard angle != VIPS_ANGLE_D0 else { return self }
        return try Raster.make("rot") { out in unsafe edge_vips_rot(pointer, &out, angle) }
    }

    /// Turns clockwise by any angle on a growing canvas; needs random access, and premultiplied pixels where transparent.
    func rotated(degrees: Double, background: [Double]) throws(VipsError) -> Raster {
        try Raster.make("similarity") { out in
            unsafe edge_vips_rotate(pointer, &out, degrees, background, CInt(background.count))
        }
    }

    /// Stacks equally large frames.
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

    /// Computes all pixels now, into memory: what follows may read them in any order, and more than once.
    func inMemory() throws(VipsError) -> Raster {
        guard let copy = unsafe vips_image_copy_memory(pointer) else { throw VipsError.take("copy_memory") }
        return unsafe Raster(owning: copy)
    }
}
