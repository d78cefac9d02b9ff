/// One unit of work for `edgeprint-worker`, protocol version 1: one source, N outputs, and what their steps need beside it.
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

        /// Creates an output's description.
        package init(plan: String, bucket: FormatBucket, quality: QualityDefaults) {
            self.plan = plan
            self.bucket = bucket
            self.quality = quality
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
        self.ingredients = ingredients
    }
}

/// Encoder qualities, 1–100, for requests that name none (`quality` in the configuration), and libwebp's options (`webp`).
package struct QualityDefaults: Hashable, Sendable {
    package var jpeg: Int
    package var webp: Int
    package var avif: Int
    package var webpOptions: WebPOptions

    /// Creates defaults; the contract's where nothing is given.
    package init(jpeg: Int = 80, webp: Int = 79, avif: Int = 60, webpOptions: WebPOptions = WebPOptions()) {
        self.jpeg = jpeg
        self.webp = webp
        self.avif = avif
        self.webpOptions = webpOptions
    }

    /// One spelling a set of defaults, for cache keys.
    package var keyText: String {
        let options = webpOptions.keyText
        return "\(jpeg),\(webp),\(avif)" + (options.isEmpty ? "" : ";\(options)")
    }
}
