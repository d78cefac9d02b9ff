/// A worker's reply to a job.
package struct WorkerReply: Hashable, Sendable {
    /// The job's id.
    package var id: UInt64
    /// One result per output, in the job's order, or the failure.
    package var result: Result<[Output], Failure>
    /// The time spent in each stage, for `Server-Timing`.
    ///
    /// libvips decodes on demand, so `decode` covers opening the source only.
    package var timing: Timing

    /// The description of a result; its bytes are in the message or in a sealed memory file.
    package struct Output: Hashable, Sendable {
        package var format: ResultFormat
        package var width: Int
        /// The height of one frame.
        package var height: Int
        package var frames: Int
        package var hasAlpha: Bool
        /// The length of the encoded result in bytes.
        package var length: Int
        /// The quality, 1–100, that the lossy encoder used before `max_bytes` lowered it; `nil` for other encoders.
        package var quality: Int?
        /// How many times a search for that quality encoded; 0 without a search.
        package var tries: Int
        /// The score of the result in tenths, 1–1,000, as the search measured it; `nil` if there was none, or if `max_bytes` lowered
        /// the quality afterwards.
        package var score: Int?

        /// Creates a description.
        package init(
            format: ResultFormat,
            width: Int,
            height: Int,
            frames: Int,
            hasAlpha: Bool,
            length: Int,
            quality: Int? = nil,
            tries: Int = 0,
            score: Int? = nil
        ) {
            self.format = format
            self.width = width
            self.height = height
            self.frames = frames
            self.hasAlpha = hasAlpha
            self.length = length
            self.quality = quality
            self.tries = tries
            self.score = score
        }

        /// The quality that a search found; `nil` if there was none, or if its result is not the output.
        package var found: FoundQuality? {
            guard let quality, let score else { return nil }
            return FoundQuality(quality: quality, score: score)
        }
    }

    /// The reason why there is no result.
    package enum Failure: Error, Hashable, Sendable {
        /// The source is not an image that this build decodes: 415.
        case unsupported(String)
        /// The image is damaged: 422.
        ///
        /// `parameter` is the request's parameter that names the image; `nil` for the source itself.
        case broken(String, parameter: String? = nil)
        /// The image exceeds a limit, which the text names, or a step leaves nothing, such as an empty crop: 422.
        ///
        /// `parameter` is the request's parameter that caused it, if any.
        case refused(String, parameter: String? = nil)
        /// The deadline has passed: 504.
        case deadline
        /// The daemon has cancelled the job.
        case cancelled
        /// The worker itself failed, for example without memory for a result; the image is not at fault.
        case worker(String)
    }

    /// Durations of the stages in microseconds.
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
