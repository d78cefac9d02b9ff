import CVips
import ImagePlan

/// What an encoder gets: upright 8-bit sRGB frames after the last step, and the metadata that may stay.
struct FinishedPicture {
    /// One raster a frame, all of one size; without an animation one.
    let frames: [Raster]
    let animation: Animation?
    let filter: MetadataFilter

    /// Of one frame.
    var size: PixelSize { PixelSize(width: frames[0].width, height: frames[0].height) }

    /// The frames stacked, with the metadata that libvips' savers read.
    func stacked() throws(VipsError) -> Raster {
        try filter.apply(to: animation?.stacked(frames) ?? frames[0])
    }

    /// The picture with all pixels computed, so that it can be encoded more than once.
    func inMemory(_ deadline: Deadline) throws -> FinishedPicture {
        let computed = try frames.map { frame in
            try deadline.check()
            deadline.watch(frame)
            return try frame.inMemory()
        }
        return FinishedPicture(frames: computed, animation: animation, filter: filter)
    }
}
