import CVips
import ImagePlan

/// The picture between two steps: its frames, and what was put off because it is cheaper later.
///
/// Turning it upright and converting it to sRGB wait for the first resize, which leaves fewer pixels for them; every other
/// step settles them first. So steps see an upright 8-bit sRGB picture, whatever was loaded.
struct Canvas {
    /// One raster a frame, all of one size.
    private(set) var frames: [Raster]
    /// The picture as the plan sees it: upright, and at its full size even where the source was loaded smaller.
    private(set) var shape: PictureShape
    /// What lies under transparent pixels in the end, where it is opaque; steps that bare pixels may fill with it at once.
    let opaqueBackground: Color?
    let deadline: Deadline
    /// The steps that follow the one that runs.
    var following: ArraySlice<ResolvedStep> = []
    /// The job's other originals.
    var ingredients: IngredientPictures?
    /// How many times smaller than `shape.size` the picture was loaded; 1 from the resize on.
    private(set) var loadFactor: Int
    private var orientation: Orientation
    private var needsConversion: Bool
    /// Whether the pixels come straight from a decoder, which gives each line once, from top to bottom.
    private var isSequential = true

    /// Starts with a decoded picture; `size` is its upright full size.
    init(
        frames: [Raster],
        size: PixelSize,
        loadFactor: Int = 1,
        orientation: Orientation,
        opaqueBackground: Color?,
        deadline: Deadline
    ) {
        self.frames = frames
        shape = PictureShape(size: size)
        self.loadFactor = loadFactor
        self.orientation = orientation
        self.opaqueBackground = opaqueBackground
        self.deadline = deadline
        needsConversion = frames.contains { !$0.isPlainSRGB }
    }

    /// The size of the pixels at hand: smaller than `shape.size` before the resize of a source that was loaded smaller.
    var loadedSize: PixelSize {
        let size = PixelSize(width: frames[0].width, height: frames[0].height)
        return orientation.swapsSides ? size.transposed : size
    }

    /// Turns the picture upright and converts it to sRGB, where that has been put off.
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

    /// Computes all pixels so far, so that what follows may read them in any order.
    mutating func makeRandomAccess() throws {
        guard isSequential else { return }
        try deadline.check()
        // In order of the frames, since a decoder gives them so.
        let deadline = deadline
        frames = try frames.map { frame in
            deadline.watch(frame)
            return try frame.inMemory()
        }
        isSequential = false
    }

    /// Computes all pixels so far, behind a step whose every line is dear: a resize would ask for each of them many times.
    mutating func compute() throws {
        isSequential = true
        try makeRandomAccess()
    }

    /// Changes every frame; `shape` is what the picture is afterwards.
    mutating func change(to shape: PictureShape, _ body: (Raster) throws -> Raster) throws {
        try deadline.check()
        try settle()
        frames = try frames.map(body)
        self.shape = shape
    }

    /// Makes the pixels at hand smaller, and not the picture: the next resize scales them to what it asks.
    mutating func shrink(by factor: Int, _ body: (Raster) throws -> Raster) throws {
        try change(to: shape, body)
        loadFactor *= factor
    }

    /// Scales the whole picture, stretched where the sides' factors differ.
    mutating func scale(to shape: PictureShape) throws {
        try deadline.check()
        let target = shape.size
        if target.pixels >= loadedSize.pixels || !frames[0].mayScaleBeforeConversion { try settle() }
        let stored = orientation.swapsSides ? target.transposed : target
        frames = try frames.map { frame in
            guard frame.width != stored.width || frame.height != stored.height else { return frame }
            // Frames are made one at a time, as they are encoded.
            if frames.count == 1,
                let made = try frame.resampled(to: stored, deadline)
            {
                return made
            }
            return try frame.transparently { frame in try frame.resized(width: stored.width, height: stored.height) }
        }
        self.shape = shape
        loadFactor = 1
    }
}

extension Raster {
    /// Runs an operation that mixes neighbouring pixels: on colours times alpha where there is alpha, so that no hidden colour bleeds.
    func transparently(_ body: (Raster) throws -> Raster) throws -> Raster {
        guard hasAlpha else { return try body(self) }
        let mixed = try body(premultiplied()).unpremultiplied()
        // A cast cuts off what lies behind the point.
        return format == VIPS_FORMAT_UCHAR ? try mixed.roundedToEightBits() : try mixed.cast(to: format)
    }
}

extension Canvas {
    /// Lays a colour under transparent pixels: the plan's, and white beneath all where the format has no alpha.
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
