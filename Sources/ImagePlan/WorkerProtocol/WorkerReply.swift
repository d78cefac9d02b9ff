/// A worker's answer to one job.
package struct WorkerReply: Hashable, Sendable {
    /// The job's id.
    package var id: UInt64
    /// One result an output, in the job's order; or why the source could not be used at all.
    package var result: Result<[Output], Failure>
    /// Microseconds spent in the stages, for `Server-Timing`.
    ///
    /// libvips decodes on demand: `decode` is opening the source only.
    package var timing: Timing

    /// A finished picture's description; its bytes follow inline or in a sealed memfd.
    package struct Output: Hashable, Sendable {
        package var format: ResultFormat
        package var width: Int
        /// Height of one frame.
        package var height: Int
        package var frames: Int
        package var hasAlpha: Bool
        /// Bytes of the encoded picture.
        package var length: Int
        /// The lossy encoder's quality, 1–100, before `max_bytes` took of it; `nil` for what has none.
        package var quality: Int?
        /// Encodes of a search for that quality; 0 where it was given.
        package var tries: Int

        /// Creates a description.
        package init(
            format: ResultFormat,
            width: Int,
            height: Int,
            frames: Int,
            hasAlpha: Bool,
            length: Int,
            quality: Int? = nil,
            tries: Int = 0
        ) {
            self.format = format
            self.width = width
            self.height = height
            self.frames = frames
            self.hasAlpha = hasAlpha
            self.length = length
            self.quality = quality
            self.tries = tries
        }
    }

    /// Why there is no picture.
    package enum Failure: Error, Hashable, Sendable {
        /// The bytes are not an image that can be decoded here: 415.
        case unsupported(String)
        /// An image, but damaged: 422.
        ///
        /// With the request's parameter that names it, where it is not the source itself.
        case broken(String, parameter: String? = nil)
        /// An image, but over a limit (the text names it), or a step that leaves nothing (an empty crop): 422.
        ///
        /// With the request's parameter that asks for too much, where one does.
        case refused(String, parameter: String? = nil)
        /// The deadline passed: 504.
        case deadline
        /// The worker itself failed, through no fault of the picture (no memory file, bad message).
        case worker(String)
    }

    /// Microseconds a stage.
    package struct Timing: Hashable, Sendable {
        package var decode: UInt32
        package var transform: UInt32
        package var encode: UInt32

        /// Creates a timing.
        package init(decode: UInt32 = 0, transform: UInt32 = 0, encode: UInt32 = 0) {
            self.decode = decode
            self.transform = transform
            self.encode = encode
        }
    }

    /// Creates a reply.
    package init(id: UInt64, result: Result<[Output], Failure>, timing: Timing) {
        self.id = id
        self.result = result
        self.timing = timing
    }
}
