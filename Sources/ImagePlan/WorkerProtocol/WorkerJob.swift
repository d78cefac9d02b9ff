/// One unit of work for `edgeprint-worker`, protocol version 2: one source, N outputs, and what their steps need beside it.
///
/// The source's bytes travel beside the message as a read-only descriptor, and so do those of its ingredients.
package struct WorkerJob: Hashable, Sendable {
    /// Echoed in the reply.
    package var id: UInt64
    /// Bytes of the source that the descriptor holds, from offset 0.
    package var sourceLength: Int
    /// The sniffed format; the worker opens the source with this format's loader by name, no other.
    package var sourceFormat: ImageFormat
    /// Milliseconds that the worker may spend; it stops itself at about that time, and is killed soon after.
    package var deadlineMilliseconds: Int
    /// The most pixels of one frame that may be decoded.
    package var maximumPixels: Int
    /// The most frames that may be decoded.
    package var maximumFrames: Int
    /// What the source is a reduction of; `nil` where it is the original itself.
    package var reduction: Reduction?
    /// What to make.
    package var outputs: [Output]
    /// The most bytes that a compressed source (SVGZ) may hold.
    package var maximumSourceLength: Int
    /// The most work that an animation may take, in pixels as `AnimationCost` counts them.
    package var maximumAnimation: Int
    /// Whether the source may be given as it is.
    package var givesOriginals: Bool

    /// What an animation may take.
    package var animation: AnimationLimits {
        AnimationLimits(frames: maximumFrames, pixels: maximumAnimation, givesOriginals: givesOriginals)
    }
    /// The other originals that the outputs' steps name; their descriptors follow the source's, in this order.
    package var ingredients: [Ingredient]

    /// Another original.
    package struct Ingredient: Hashable, Sendable {
        /// `IngredientPath.text`.
        package var name: String
        /// Bytes that the descriptor holds, from offset 0.
        package var length: Int
        /// The sniffed format.
        package var format: ImageFormat
        /// The most pixels of its frame that may be decoded.
        package var maximumPixels: Int

        /// Describes one.
        package init(name: String, length: Int, format: ImageFormat, maximumPixels: Int) {
            self.name = name
            self.length = length
            self.format = format
            self.maximumPixels = maximumPixels
        }
    }

    /// One result to make of the source.
    package struct Output: Hashable, Sendable {
        /// The plan's canonical text (`Plan.canonicalText`), output settings included.
        package var plan: String
        /// The bucket that `format=auto` answers.
        package var bucket: FormatBucket
        /// The quality for each lossy format where the plan names none, 1–100.
        package var quality: QualityDefaults
        /// Where a search for a quality or a format begins.
        package var search: EncodingSearch

        /// Creates an output's description.
        package init(
            plan: String,
            bucket: FormatBucket,
            quality: QualityDefaults,
            search: EncodingSearch = EncodingSearch()
        ) {
            self.plan = plan
            self.bucket = bucket
            self.quality = quality
            self.search = search
        }
    }

    /// Creates a job.
    package init(
        id: UInt64,
        sourceLength: Int,
        sourceFormat: ImageFormat,
        deadlineMilliseconds: Int,
        maximumPixels: Int,
        maximumFrames: Int,
        reduction: Reduction? = nil,
        outputs: [Output],
        maximumSourceLength: Int = 64 << 20,
        maximumAnimation: Int = AnimationLimits.standardPixels,
        givesOriginals: Bool = true,
        ingredients: [Ingredient] = []
    ) {
        self.id = id
        self.sourceLength = sourceLength
        self.sourceFormat = sourceFormat
        self.deadlineMilliseconds = deadlineMilliseconds
        self.maximumPixels = maximumPixels
        self.maximumFrames = maximumFrames
        self.reduction = reduction
        self.outputs = outputs
        self.maximumSourceLength = maximumSourceLength
        self.maximumAnimation = maximumAnimation
        self.givesOriginals = givesOriginals
        self.ingredients = ingredients
    }
}

/// Encoder qualities, 1–100, for requests that name none (`quality` in the configuration), and libwebp's options (`webp`).
package struct QualityDefaults: Hashable, Sendable {
    package var jpeg: Int
    package var webp: Int
    package var avif: Int
    package var webpOptions: WebPOptions
    /// The effort of AVIF that `format=auto` chooses, 0–9, where a request names none (`avif.effort`).
    package var avifEffort = standardAVIFEffort
    /// How far a result of `q=auto` may look from the picture, thousandths of the distance at which the qualities above look alike.
    package var distance = Self.standardDistance

    /// The distance of the contract's qualities.
    package static let standardDistance = 1_000
    /// The range of `distance`.
    package static let distances = 100...10_000

    /// Creates defaults; the contract's where nothing is given.
    package init(jpeg: Int = 80, webp: Int = 79, avif: Int = 60, webpOptions: WebPOptions = WebPOptions()) {
        self.jpeg = jpeg
        self.webp = webp
        self.avif = avif
        self.webpOptions = webpOptions
    }

    /// Where the configuration names none: a tenth fewer bytes than effort 0, and half of what 2 takes (Benchmarks/README.md).
    package static let standardAVIFEffort = 1

    /// One spelling a set of defaults, for cache keys.
    package var keyText: String {
        let options = webpOptions.keyText
        return "\(jpeg),\(webp),\(avif)" + (options.isEmpty ? "" : ";\(options)")
            + (avifEffort == Self.standardAVIFEffort ? "" : ";avif-effort=\(avifEffort)")
    }
}
