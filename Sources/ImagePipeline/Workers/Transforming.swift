package import HTTPCache
package import HTTPSemantics
package import ImagePlan
package import LinuxSystem

/// Transforms originals outside the daemon's process; implemented by the worker pool, and by tests.
package protocol Transforming: Sendable {
    /// Queues a job and returns immediately.
    ///
    /// - Parameter completion: called exactly once, on a thread of the pool, for cancelled jobs as well.
    func transform(
        _ job: TransformJob,
        completion: @escaping @Sendable (Result<TransformResult, PipelineError>) -> Void
    ) -> any TransformHandle

    /// Whether every processor has a transform to run, so that work without a waiting client should be put off.
    var isLoaded: Bool { get }

    /// Whether background jobs leave a worker free for requests: they need a second worker.
    var hasBackground: Bool { get }

    /// Whether workers have an encoder of a format; true while that is not known.
    func encodes(_ format: ImageFormat) -> Bool

    /// The error with which a job of a client would be refused now because others wait; `nil` if it would be queued.
    ///
    /// Cheaper than to download an original of which nothing can be made in time.
    /// - Parameter account: the client's account; `nil` for the daemon's own work.
    func refusal(of account: String?) -> PipelineError?
}

extension Transforming {
    package var isLoaded: Bool { false }
    package var hasBackground: Bool { true }

    package func encodes(_ format: ImageFormat) -> Bool { true }

    package func refusal(of account: String?) -> PipelineError? { nil }
}

/// A transform that is queued or running; safe to use from any thread.
package protocol TransformHandle: Sendable {
    /// Removes the job from the queue or abandons it on its worker; the completion gets `.cancelled` unless the job has ended.
    func cancel()
    /// Whether the job waits in the queue.
    var isWaiting: Bool { get }
    /// Adapts the job's place in the queue to the clients that wait for it now (`TransformJob.claims`).
    func waitersChanged()
}

extension TransformHandle {
    package var isWaiting: Bool { false }
    package func waitersChanged() {}
}

/// An original, the outputs to make from it, and the auxiliary images that they need.
@dynamicMemberLookup
package struct TransformJob: Sendable {
    /// The order of a client's own jobs (SDWebImage: LowPriority, HighPriority).
    ///
    /// A background job comes after all clients' other jobs, and starts only while at least two workers are idle, so that one stays free
    /// for requests.
    package typealias Priority = RequestPriority

    /// Another original.
    package struct Auxiliary: Sendable {
        package var source: SharedDescriptor
        /// The worker's description of it.
        package var description: WorkerJob.Auxiliary

        /// Creates an auxiliary image of a file.
        package init(source: SharedDescriptor, description: WorkerJob.Auxiliary) {
            self.source = source
            self.description = description
        }
    }

    package var source: SharedDescriptor
    /// The sniffed header of the source; for a mezzanine, that of the original except for the format.
    package var header: ImageHeader
    /// The message to the worker; the pool fills in the identifier, the source's format and the auxiliary images.
    package var message: WorkerJob
    package var priority: Priority
    /// The client account of the request that caused the job; `nil` for the daemon's own work.
    package var account: String?
    /// The clients that wait for the job, in whose turns it may start; it is charged to the one in whose turn it does.
    package var claims = SharedClaims.none
    /// The trust domain: its worker runs no job of another one; `nil` for the domain that sources without isolation share.
    package var domain: String?
    /// When the results become useless to all waiting requests; a job that a worker reaches later does not run.
    package var deadline = SharedDeadline.none
    /// What the job makes, for operators.
    package var title = JobTitle()
    /// The auxiliary images that the outputs' plans name.
    package var auxiliaries: [Auxiliary] = []

    /// Creates a job.
    package init(source: SharedDescriptor, header: ImageHeader, message: WorkerJob, priority: Priority = .normal) {
        self.source = source
        self.header = header
        self.message = message
        self.priority = priority
    }

    /// The fields of `message`.
    package subscript<Value>(dynamicMember path: WritableKeyPath<WorkerJob, Value>) -> Value {
        get { message[keyPath: path] }
        set { message[keyPath: path] = newValue }
    }

    /// The clients in whose turns it may start now.
    var turns: [Claim] { claims.turns(else: Claim(account, priority)) }

    /// The descriptors that accompany the message, the source's first.
    var sources: [SharedDescriptor] { [source] + auxiliaries.map(\.source) }

    /// Returns the message to the worker.
    func message(id: UInt64) -> WorkerJob {
        var message = message
        message.id = id
        message.sourceFormat = header.format
        message.auxiliaries = auxiliaries.map(\.description)
        return message
    }
}

/// The results of a job, in the order of its outputs.
package struct TransformResult: Sendable {
    /// A result: its description, and its bytes in memory owned by the daemon.
    package struct Picture: Sendable {
        package var description: WorkerReply.Output
        package var bytes: [UInt8]

        /// Creates a result from its description and bytes.
        package init(description: WorkerReply.Output, bytes: [UInt8]) {
            self.description = description
            self.bytes = bytes
        }
    }

    package var pictures: [Picture]
    package var timing: WorkerReply.Timing
    /// The time in the queue, in microseconds.
    package var queued: UInt32

    /// Creates a result.
    package init(pictures: [Picture], timing: WorkerReply.Timing, queued: UInt32) {
        self.pictures = pictures
        self.timing = timing
        self.queued = queued
    }
}
