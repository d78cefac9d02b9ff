package import ImagePlan
package import LinuxSystem

/// Stage 7's seam: makes pictures from an original, outside of the daemon's process.
package protocol Transforming: Sendable {
    /// Queues a job and returns at once; `completion` is called exactly once, on a pool thread, cancelled jobs included.
    func transform(
        _ job: TransformJob,
        completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void
    ) -> any TransformHandle

    /// Whether all processors have transforms to do: then nothing is made that nobody waits for.
    var isLoaded: Bool { get }

    /// Whether something can be made in the background without anybody ever waiting for it.
    var hasBackground: Bool { get }
}

extension Transforming {
    package var isLoaded: Bool { false }
    package var hasBackground: Bool { true }
}

/// A transform that is queued or under way; any thread.
package protocol TransformHandle: Sendable {
    /// Takes the job out of the queue, or gives up on its worker; its completion gets `.cancelled` unless it has ended already.
    func cancel()
}

/// One original, N outputs, and the other originals that these need.
package struct TransformJob: Sendable {
    /// The order in the queue; equal ones first come, first served (SDWebImage: LowPriority, HighPriority).
    package enum Priority: Int, Sendable, Comparable {
        /// Only while another worker has nothing to do, which is left to whoever comes.
        case background = 0
        case low = 1
        case normal = 2
        case high = 3

        package static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// Another original.
    package struct Ingredient: Sendable {
        /// As the plans have it.
        package var name: String
        package var source: SharedDescriptor
        package var length: Int
        package var format: ImageFormat
        package var maximumPixels: Int

        /// Describes one.
        package init(name: String, source: SharedDescriptor, length: Int, format: ImageFormat, maximumPixels: Int) {
            self.name = name
            self.source = source
            self.length = length
            self.format = format
            self.maximumPixels = maximumPixels
        }
    }

    package var source: SharedDescriptor
    package var length: Int
    /// What the source says of itself; of a mezzanine all but the format is the original's.
    package var header: ImageHeader
    /// What the source is a reduction of; `nil` where it is the original itself.
    package var reduction: Reduction?
    package var outputs: [WorkerJob.Output]
    /// The other originals that the outputs' plans name.
    package var ingredients: [Ingredient] = []
    package var maximumPixels: Int
    package var maximumFrames: Int
    /// The most bytes that a compressed source may hold.
    package var maximumSourceBytes = SourceRule.Limits().sourceBytes
    /// Milliseconds from the worker's start on the job to its kill.
    package var timeoutMilliseconds: Int
    package var priority: Priority
    /// The most work that an animation may take, and whether the original may be given in its place.
    package var animation: AnimationLimits

    /// The descriptors that travel with it, the source's first.
    var sources: [SharedDescriptor] { [source] + ingredients.map(\.source) }

    /// Creates a job.
    package init(
        source: SharedDescriptor,
        length: Int,
        header: ImageHeader,
        outputs: [WorkerJob.Output],
        maximumPixels: Int,
        maximumFrames: Int,
        timeoutMilliseconds: Int,
        priority: Priority = .normal,
        animation: AnimationLimits = AnimationLimits()
    ) {
        self.source = source
        self.length = length
        self.header = header
        self.outputs = outputs
        self.maximumPixels = maximumPixels
        self.maximumFrames = maximumFrames
        self.timeoutMilliseconds = timeoutMilliseconds
        self.priority = priority
        self.animation = animation
    }
}

/// The pictures made, in the job's order.
package struct TransformResult: Sendable {
    /// A picture: what it is, and its bytes in memory that the daemon owns.
    package struct Picture: Sendable {
        package var description: WorkerReply.Output
        package var bytes: [UInt8]

        /// Creates a picture.
        package init(description: WorkerReply.Output, bytes: [UInt8]) {
            self.description = description
            self.bytes = bytes
        }
    }

    package var pictures: [Picture]
    package var timing: WorkerReply.Timing
    /// Microseconds in the queue.
    package var queued: UInt32

    /// Creates a result.
    package init(pictures: [Picture], timing: WorkerReply.Timing, queued: UInt32) {
        self.pictures = pictures
        self.timing = timing
        self.queued = queued
    }
}
