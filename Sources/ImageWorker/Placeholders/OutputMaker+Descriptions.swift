import CVips
import ImagePlan

/// Results that describe an image: `format=json`, `blurhash`, `thumbhash`, `lqip`, and the placeholder for header fields.
extension OutputMaker {
    /// An image small enough for placeholders, as a raster and as bytes.
    private struct Tiny {
        var raster: Raster
        var picture: TinyPicture
        /// The size of the plan's result.
        var size: PixelSize
    }

    /// Makes the description that a plan requests.
    ///
    /// - Parameter isClean: whether to leave out the original's metadata.
    /// - Throws: `VipsError`, `RequestError` or `WorkerReply.Failure`.
    func makeDescription(_ plan: Plan, isClean: Bool) throws -> Made {
        var clock = StageClock()
        let tiny = try shrink(plan, &clock)
        let size = tiny.size
        let text: String
        switch plan.settings.format {
        case .blurhash: text = BlurHash.encode(tiny.picture)
        case .thumbhash: text = Base64.encode(ThumbHash.encode(tiny.picture))
        case .lqip: text = try LowQualityPreview(of: tiny.raster, deadline).dataURI
        default:
            var description = PictureDescription(
                size: size,
                hasAlpha: plan.hasAlpha(source: facts.hasAlpha),
                format: facts.format,
                bytes: decoder.byteCount,
                frames: facts.frames,
                orientation: facts.orientation,
                camera: try CameraFacts(exif: isClean ? [] : decoder.open().bytes(VIPS_META_EXIF_NAME) ?? []),
                picture: tiny.picture
            )
            if facts.frames > 1 {
                let animation = Animation(of: try decoder.open())
                let duration = animation.duration(frames: facts.frames)
                description.playback = PictureDescription.Playback(loop: animation.rounds, duration: duration)
            }
            description.pages = facts.pages
            description.colours = try colours()
            description.pixel = try plan.settings.pixel.map { try pixel($0, plan) }
            text = description.json
        }
        clock.endEncode()
        return made(text, as: plan.settings.format == .json ? .json : .text, size, clock.timing)
    }

    /// Makes the original's placeholder, an empty one if that fails, so that the job's image is still returned.
    ///
    /// After the deadline the text is not a valid placeholder, so that a later job tries again.
    func makePlaceholder() -> Made {
        var clock = StageClock()
        let tiny = isRefused ? nil : try? shrink(.identity, &clock)
        let isLate = tiny == nil && deadline.hasPassed
        let text = isLate ? "late" : (tiny.map { Placeholder(of: $0.picture) } ?? .none).text
        clock.endEncode()
        return made(text, as: .text, facts.orientedSize, clock.timing)
    }

    private func made(_ text: String, as format: ResultFormat, _ size: PixelSize, _ timing: WorkerReply.Timing) -> Made
    {
        let bytes = Array(text.utf8)
        let description = WorkerReply.Output(
            format: format,
            width: size.width,
            height: size.height,
            frames: 1,
            hasAlpha: false,
            length: bytes.count
        )
        return Made(description: description, encoded: EncodedPicture(bytes), timing: timing)
    }

    /// Runs the steps and a final resize to a tiny image, so that the source is loaded as small as possible.
    private func shrink(_ plan: Plan, _ clock: inout StageClock) throws -> Tiny {
        let side = TinyPicture.longestSide
        let last = ResizeStep(width: side, height: side)
        let whole = Plan(steps: plan.steps + [last], settings: plan.settings)
        let steps = try PlanGeometry.resolve(whole, source: facts.orientedSize, maximumPixels: maximumPixels)
        var canvas = try loadShared(whole, steps)
        clock.endDecode()
        try apply(Array(steps.dropLast()), of: plan, to: &canvas)
        // Steps may have determined the size from pixels.
        let size = canvas.shape.size
        try apply(PlanGeometry.resolve([last][...], from: canvas.shape), of: Plan(steps: [last]), to: &canvas)
        try canvas.settle()
        try canvas.layBackground(plan.background, formatHasAlpha: true)
        try deadline.check()
        deadline.watch(canvas.frames[0])
        let raster = try canvas.frames[0].withAlpha().inMemory()
        guard let picture = TinyPicture(width: raster.width, height: raster.height, rgba: try raster.pixelBytes())
        else {
            throw WorkerReply.Failure.worker(
                "an unexpected thumbnail of \(raster.width)×\(raster.height)×\(raster.bands)"
            )
        }
        clock.endTransform()
        return Tiny(raster: raster, picture: picture, size: size)
    }

    /// Returns another output's decoding if only the resize needs pixels; otherwise loads the source as small as possible.
    private func loadShared(_ plan: Plan, _ steps: [ResolvedStep]) throws -> Canvas {
        guard steps.count == 1,
            let decoded = shared?.best(atMost: decoder.loadFactor(steps, facts, within: limits.bytes))
        else {
            // A description covers one frame, by default the first.
            let asks = plan.settings.animation.stillFrame != nil
            let choice = asks ? try chooseFrames(plan, facts.orientedSize).choice : .still(frame: 0)
            return try load(plan, steps, .png, choice).0
        }
        return Canvas(
            frames: [decoded.raster],
            size: facts.orientedSize,
            loadFactor: decoded.loadFactor,
            orientation: Orientation(exif: facts.orientation),
            opaqueBackground: nil,
            deadline: deadline
        )
    }
}

extension Raster {
    /// Computes all pixels and returns their bytes.
    func pixelBytes() throws(VipsError) -> [UInt8] {
        var count = 0
        guard let memory = unsafe vips_image_write_to_memory(pointer, &count) else { throw VipsError.take("write") }
        defer { unsafe g_free(memory) }
        return unsafe Array(UnsafeRawBufferPointer(start: memory, count: count))
    }
}
