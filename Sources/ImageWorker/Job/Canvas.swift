import CVips
import ImagePlan

/// The image between two steps: its frames and the operations that are deferred because they are cheaper later.
///
/// Orientation and conversion to sRGB are deferred until after the first resize, when fewer pixels are left. Every other step
/// applies them first, so steps see an upright 8-bit sRGB image.
struct Canvas {
    /// One raster per frame, all of one size.
    private(set) var frames: [Raster]
    /// The shape that the plan sees: upright and at full size, even if the source was loaded smaller.
    private(set) var shape: PictureShape
    /// The background of the result if it is opaque; steps that expose pixels may fill them with it at once.
    let opaqueBackground: Color?
    let deadline: Deadline
    /// The steps after the running one.
    var following: ArraySlice<ResolvedStep> = []
    /// The other originals of the job.
    var auxiliaries: AuxiliaryPictures?
    /// The factor by which the image was loaded smaller than `shape.size`; 1 after the resize.
    private(set) var loadFactor: Int
    /// The factor by which a vector image was drawn larger than `shape.size`, for the resize; 1 after it.
    private(set) var enlargement: Int
    /// What the image shows of the decoded original.
    private(set) var region: SourceRegion
    private var orientation: Orientation
    private var needsConversion: Bool
    /// Whether the pixels have been scaled to another size as if they were whole, so that their extent is no longer known.
    private var isShrunk = false
    /// Whether the pixels come straight from a decoder, which delivers each line once, from top to bottom.
    private var isSequential = true

    /// Creates a canvas of a decoded image whose upright full size is `size`.
    init(
        frames: [Raster],
        size: PixelSize,
        loadFactor: Int = 1,
        enlargement: Int = 1,
        orientation: Orientation,
        opaqueBackground: Color?,
        deadline: Deadline
    ) {
        self.frames = frames
        shape = PictureShape(size: size)
        self.loadFactor = loadFactor
        self.enlargement = enlargement
        region = SourceRegion(orientation)
        self.orientation = orientation
        self.opaqueBackground = opaqueBackground
        self.deadline = deadline
        needsConversion = frames.contains { !$0.isPlainSRGB }
    }

    /// The upright size of the loaded pixels; another than `shape.size` if the source was loaded smaller or drawn larger, until the
    /// resize.
    var loadedSize: PixelSize {
        let size = PixelSize(width: frames[0].width, height: frames[0].height)
        return orientation.swapsSides ? size.transposed : size
    }

    /// What the loaded pixels show of the picture, with the deferred orientation; `nil` if that is as long as they are.
    ///
    /// Of the last pixels of a reduced picture, a part may be outside.
    private var loadedExtent: LoadedExtent? {
        guard loadFactor > 1, !isShrunk else { return nil }
        let size = orientation.swapsSides ? shape.size.transposed : shape.size
        var extent = LoadedExtent(
            width: Double(size.width) / Double(loadFactor),
            height: Double(size.height) / Double(loadFactor)
        )
        // What was on the right may be on the left now.
        if orientation.isUpright, region.isReversedAcross { extent.left = Double(frames[0].width) - extent.width }
        if orientation.isUpright, region.isReversedDown { extent.top = Double(frames[0].height) - extent.height }
        return extent
    }

    /// Applies the deferred orientation and conversion to sRGB.
    mutating func settle() throws {
        if needsConversion {
            frames = try frames.map { frame in try frame.convertedToSRGB(deadline) }
            needsConversion = false
        }
        guard !orientation.isUpright else { return }
        let orientation = orientation
        self.orientation = .upright
        if orientation.quarterTurns != 0 { try makeRandomAccess() }
        frames = try frames.map { frame in
            let turned = try frame.turned(quarters: orientation.quarterTurns)
            return orientation.isMirrored ? try turned.flipped(VIPS_DIRECTION_HORIZONTAL) : turned
        }
    }

    /// Computes all pixels into memory, if the source is sequential, so that later operations can read them in any order.
    mutating func makeRandomAccess() throws {
        guard isSequential else { return }
        try deadline.check()
        // In the order of the frames, as the decoder delivers them.
        let deadline = deadline
        frames = try frames.map { frame in
            deadline.watch(frame)
            return try frame.inMemory()
        }
        isSequential = false
    }

    /// Computes all pixels into memory after an expensive step, since a later resize would compute each line many times.
    mutating func compute() throws {
        isSequential = true
        try makeRandomAccess()
    }

    /// Replaces every frame; `shape` is the new shape.
    mutating func change(to shape: PictureShape, _ body: (Raster) throws -> Raster) throws {
        try deadline.check()
        try settle()
        frames = try frames.map(body)
        self.shape = shape
    }

    /// Replaces every frame by a rectangle of it, or by a canvas around it if the rectangle is larger.
    ///
    /// - Parameter rectangle: the rectangle in the coordinates of `shape`.
    mutating func change(to shape: PictureShape, showing rectangle: PixelRectangle, _ body: (Raster) throws -> Raster)
        throws
    {
        region.crop(rectangle, of: self.shape.size)
        try change(to: shape, body)
    }

    /// Replaces every frame by one that is mirrored or turned.
    mutating func change(
        to shape: PictureShape,
        turning: (inout SourceRegion) -> Void,
        _ body: (Raster) throws -> Raster
    ) throws {
        turning(&region)
        try change(to: shape, body)
    }

    /// Shrinks the loaded pixels without changing `shape`; the next resize scales them to its size.
    mutating func shrink(by factor: Int, _ body: (Raster) throws -> Raster) throws {
        try change(to: shape, body)
        loadFactor *= factor
        isShrunk = true
    }

    /// Scales the whole image to a shape, without keeping the aspect ratio.
    ///
    /// - Parameter isLinear: whether to scale in linear light, which needs sRGB first.
    mutating func scale(to shape: PictureShape, isLinear: Bool) throws {
        try deadline.check()
        let target = shape.size
        if isLinear || target.pixels >= loadedSize.pixels || !frames[0].mayScaleBeforeConversion { try settle() }
        let stored = orientation.swapsSides ? target.transposed : target
        let extent = loadedExtent
        frames = try frames.map { frame in
            guard frame.width != stored.width || frame.height != stored.height else { return frame }
            if isLinear { return try frame.resizedInLinearLight(to: stored) }
            // Frames of an animation are computed one at a time during encoding.
            if frames.count == 1,
                let made = try frame.resampled(to: stored, of: extent, loadFactor: loadFactor, deadline)
            {
                return made
            }
            return try frame.transparently { frame in try frame.resized(width: stored.width, height: stored.height) }
        }
        self.shape = shape
        loadFactor = 1
        enlargement = 1
        isShrunk = false
    }
}

extension Raster {
    /// Runs an operation that mixes neighbouring pixels, on premultiplied colours if there is alpha, so that hidden colours do not bleed.
    func transparently(_ body: (Raster) throws -> Raster) throws -> Raster {
        guard hasAlpha else { return try body(self) }
        let mixed = try body(premultiplied()).unpremultiplied()
        // A cast truncates; the results must be rounded.
        return format == VIPS_FORMAT_UCHAR ? try mixed.roundedToEightBits() : try mixed.cast(to: format)
    }
}

extension Canvas {
    /// Composites the frames over the plan's background, and over white if the format has no alpha.
    mutating func layBackground(_ color: Color?, formatHasAlpha: Bool) throws {
        guard frames[0].hasAlpha else { return }
        let shape = shape
        if let color {
            try change(to: shape) { frame in
                if color.isOpaque {
                    let ink = [Double(color.red), Double(color.green), Double(color.blue)]
                    return try frame.flattened(over: ink)
                }
                return try frame.constant(frame.ink(color)).composited(with: frame)
            }
        }
        guard !formatHasAlpha, frames[0].hasAlpha else { return }
        try change(to: shape) { frame in try frame.flattened(over: [255, 255, 255]) }
    }
}
