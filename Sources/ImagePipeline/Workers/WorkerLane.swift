import LinuxSystem

/// What one worker slot has run lately, for operators.
package struct WorkerLane: Hashable, Sendable {
    /// One run of a job.
    package struct Run: Hashable, Sendable {
        package var title: JobTitle
        /// The start in monotonic nanoseconds.
        package var start: Int64
        /// The end in monotonic nanoseconds; `nil` while the job runs.
        package var end: Int64?
    }

    /// The runs that a slot remembers.
    package static let capacity = 48

    /// The latest runs, oldest first; at most `capacity`.
    package private(set) var runs: [Run] = []

    /// Adds a run, and forgets the oldest one if there are too many.
    mutating func begin(_ title: JobTitle, at now: Int64) {
        if runs.count >= Self.capacity { runs.removeFirst() }
        runs.append(Run(title: title, start: now))
    }

    /// Ends the latest run.
    mutating func end(at now: Int64) {
        guard let last = runs.indices.last else { return }
        runs[last].end = now
    }
}

/// What a job makes, for operators; not to be shown to clients.
package struct JobTitle: Hashable, Sendable {
    /// The name of the source.
    package var source = ""
    /// The upstream URL of the original.
    package var url = ""
    /// The canonical texts of the plans.
    package var plans: [String] = []

    /// Creates an empty title.
    package init() {}
}

extension WorkerPool {
    /// What the worker slots have run lately, one entry for each; any thread.
    package var lanes: [WorkerLane] { shared.lanes.withLock { $0 } }
}
