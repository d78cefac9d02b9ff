import CVips
import ImagePlan

/// The input of an encoder: upright 8-bit sRGB frames after the last step, and the filter for their metadata.
struct FinishedPicture {
    /// One raster per frame, all of one size; a single one without an animation.
    let frames: [Raster]
    let animation: Animation?
    let filter: MetadataFilter

    /// The size of one frame.
    var size: PixelSize { PixelSize(width: frames[0].width, height: frames[0].height) }

    /// Returns the frames stacked, with the metadata that libvips' savers read.
    func stacked() throws(VipsError) -> Raster {
        try filter.apply(to: animation?.stacked(frames) ?? frames[0])
    }

    /// Returns the image with all pixels computed, so that it can be encoded more than once.
    func inMemory(_ deadline: Deadline) throws -> FinishedPicture {
        let computed = try frames.map { frame in
            try deadline.check()
            deadline.watch(frame)
            return try frame.inMemory()
        }
        return FinishedPicture(frames: computed, animation: animation, filter: filter)
    }
}
